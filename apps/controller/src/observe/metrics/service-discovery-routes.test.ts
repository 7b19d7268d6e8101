import { expect, test } from 'vitest';
import { createRestFixture } from '../../rest/api/testing/rest-fixture.ts';

test('Prometheus gets each device as a target with labels, by its bearer form, and no other account or paused device', async () => {
  await using rest = await createRestFixture();
  const { accountNo } = await rest.account('mine');
  const { key } = await rest.key(accountNo, 'UA');
  const send = (path: string, body: object, by = key) => rest.send('POST', path, { key: by, body });
  await send('/tags', { Name: 'berlin' });
  const base = { Method: 'HTTP', URL: 'https://me:pw@shop.example/login?token=t' };
  await send('/devices', {
    ...base,
    ShortName: 'shop',
    FullName: 'The shop',
    Tags: ['berlin'],
    ExternalKey: 'k-1',
  });
  await send('/devices', { Method: 'SMTP', URL: 'smtps://mail.example', ShortName: 'mail' });
  await send('/devices', { Method: 'TCP', URL: 'off.example:1', ShortName: 'off', Enabled: false });
  const foreign = (await rest.key((await rest.account('other')).accountNo, 'UW')).key;
  await send('/devices', { Method: 'TCP', URL: 'foreign.example:1', ShortName: 'theirs' }, foreign);
  const get = async (query: string, by: string | undefined = key) => {
    const reply = await fetch(`${rest.baseUrl}/service-discovery/prometheus${query}`, {
      headers: { 'X-Forwarded-Proto': 'https', ...(by === '' ? {} : { Authorization: `Bearer ${by}` }) },
    });
    return {
      status: reply.status,
      type: reply.headers.get('Content-Type'),
      json: (await reply.json()) as unknown,
    };
  };
  const all = await get('');
  expect(all).toMatchObject({ status: 200, type: 'application/json' });
  expect(all.json).toMatchObject([
    {
      targets: ['https://shop.example/login?token=***'],
      labels: {
        __meta_vantage_short_name: 'shop',
        __meta_vantage_full_name: 'The shop',
        __meta_vantage_tags: ',berlin,',
        __meta_vantage_locations: ',local,',
        __meta_vantage_external_key: 'k-1',
      },
    },
    { targets: ['mail.example:465'], labels: { __meta_vantage_method: 'SMTP' } },
  ]);
  expect(JSON.stringify(all.json)).not.toMatch(/me:pw|token=t"|foreign|off\.example/);
  for (const query of ['?Tag=berlin', '?tag=berlin', '?Tag=berlin,berlin'])
    expect((await get(query)).json).toHaveLength(1);
  expect((await get('?tag=nowhere')).json).toMatchObject({ code: 1003 });
  expect((await get('?TAG=berlin')).json).toMatchObject({ code: 1004 });
  expect((await get('', '')).status).toBe(401);
  const limited = await send('/keys', { Name: 'sd', Level: 'UR', Tags: ['berlin'] });
  const { Key } = limited.json as { Key: string };
  expect((await get('', Key)).json).toHaveLength(1);
});
