import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

let rest: RestFixture;
let key: string;
beforeAll(async () => {
  rest = await createRestFixture({ settings: { publicUrl: 'https://status.example.org/vantage/' } });
  ({ key } = await rest.key((await rest.account('one')).accountNo, 'UW'));
});
afterAll(() => rest[Symbol.asyncDispose]());

const device = { Method: 'TCP', URL: 'db.example.org:5432', ShortName: 'db' };
const put = () => rest.send('PUT', '/devices?ExternalKey=k', { key, body: device });

test('PUT by ExternalKey says whether it created the device', async () => {
  expect((await put()).headers.get('Vantage-Created')).toBe('Y');
  expect((await put()).headers.get('Vantage-Created')).toBe('N');
});

test('the link to the next page begins with the public address', async () => {
  await rest.send('POST', '/devices', { key, body: { ...device, ShortName: 'db2' } });
  const { headers } = await rest.send('GET', '/devices?Limit=1', { key });
  expect(headers.get('Link')).toMatch(
    /^<https:\/\/status\.example\.org\/vantage\/v1\.1\/devices\?Limit=1&After=[0-9a-f]{48}>; rel="next"$/,
  );
});

test('an older name of a parameter works and says that it is deprecated', async () => {
  const { json } = await put();
  const id = z.object({ device_id: z.string() }).parse(json).device_id;
  for (const path of ['/uptime', '/timeline']) {
    const [older, newer] = [
      await rest.send('GET', `${path}?Devices=${id}`, { key }),
      await rest.send('GET', `${path}?Device=${id}`, { key }),
    ];
    expect(older.headers.get('Deprecation')).toBe('@1795910400');
    expect(newer.headers.get('Deprecation')).toBeNull();
    expect([older.status, older.json]).toEqual([200, newer.json]);
    const both = await rest.send('GET', `${path}?Devices=${id}&Device=${id}`, { key });
    expect(both.json).toMatchObject({ code: 1004, errors: [{ field: 'Devices' }] });
  }
  expect(
    (await rest.send('GET', '/timeline?Locations=local', { key })).headers.get('Deprecation'),
  ).not.toBeNull();
  expect((await rest.send('GET', '/timeline?Location=local', { key })).headers.get('Deprecation')).toBeNull();
});

test('Device, Timestamp1 and Timestamp2 narrow outages and alerts', async () => {
  const { json } = await put();
  const id = z.object({ device_id: z.string() }).parse(json).device_id;
  const span = 'Timestamp1=2026-01-01T00:00:00Z&Timestamp2=2026-01-02T00:00:00Z';
  for (const path of ['/outages', '/alerts'])
    expect((await rest.send('GET', `${path}?Device=${id}&${span}`, { key })).json).toEqual([]);
  const reversed = 'Timestamp1=2026-01-02T00:00:00Z&Timestamp2=2026-01-01T00:00:00Z';
  expect((await rest.send('GET', `/alerts?${reversed}`, { key })).json).toMatchObject({ code: 1004 });
});

test('an answer says how many requests of the key find room', async () => {
  const { headers } = await rest.send('GET', '/devices', { key });
  expect(headers.get('RateLimit-Policy')).toBe('"key";q=80;qu="concurrent-requests"');
  expect(headers.get('RateLimit')).toMatch(/^"key";r=7\d$/);
});
