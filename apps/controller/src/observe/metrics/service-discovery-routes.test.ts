import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promtoolAnswer } from '@vantage/testing/promtool';
import { expect, test } from 'vitest';
import { createRestFixture } from '../../testing/rest-fixture.ts';

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

test('the configuration in docs/metrics.md finds the devices with the installed Prometheus', async ({
  skip,
}) => {
  await using rest = await createRestFixture();
  const { accountNo } = await rest.account('mine');
  const { key } = await rest.key(accountNo, 'UR');
  const asked: (string | undefined)[] = [];
  // Prometheus comes in clear here, so this stands for the proxy with the certificate.
  const proxy = createServer(({ headers, url = '' }, response) => {
    asked.push(headers.authorization);
    const sent = { 'X-Forwarded-Proto': 'https', Authorization: headers.authorization ?? '' };
    void fetch(new URL(url, rest.baseUrl), { headers: sent }).then(async (answer) => {
      response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-discovery-'));
  try {
    const address = proxy.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const page = readFileSync(new URL('../../../../../docs/metrics.md', import.meta.url), 'utf8');
    const shown = /```yaml\n(scrape_configs:\n {2}- job_name: blackbox[\s\S]*?)```/.exec(page)?.[1] ?? '';
    const config = shown
      .replace('https://vantage.example:8443', `http://127.0.0.1:${port}`)
      .replace('/etc/prometheus/vantage-key', path.join(folder, 'key'))
      .replace(/^ *tls_config:.*\n/m, '');
    writeFileSync(path.join(folder, 'key'), `${key}\n`);
    writeFileSync(path.join(folder, 'prometheus.yml'), config);
    const found = await promtoolAnswer([
      'check',
      'service-discovery',
      '--timeout=3s',
      path.join(folder, 'prometheus.yml'),
      'blackbox',
    ]);
    skip(found === undefined, 'promtool is missing (Debian: prometheus)');
    expect(asked[0]).toBe(`Bearer ${key}`);
  } finally {
    proxy.close();
    rmSync(folder, { recursive: true });
  }
});
