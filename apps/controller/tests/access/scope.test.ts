// What a caller who is limited to tags cannot do; what they see: scope-equality.property.test.ts.
import { isOpenToScope } from '@vantage/rest-kit/limited-callers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AccountApi } from '../../src/testing/one-account.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';
import { addScopedAccount } from '../../src/testing/scoped-account.ts';

const issued = z.object({ key_id: z.string(), Key: z.string() });

let rest: RestFixture;
beforeAll(async () => {
  rest = await createRestFixture();
});
afterAll(() => rest[Symbol.asyncDispose]());

test('limited callers may read, and change nothing, but for these routes', () => {
  const shown = (of: (route: RestFixture['routes'][number]) => boolean) =>
    rest.routes
      .filter(of)
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted();
  expect(shown((route) => route.method !== 'GET' && isOpenToScope(route))).toEqual([
    'DELETE /devices/{device_id}',
    'DELETE /keys/{key_id}',
    'DELETE /maintenance/{maintenance_id}',
    'DELETE /marks/{mark_id}',
    'DELETE /session',
    'DELETE /tags/{tag_id}/devices/{device_id}',
    'DELETE /users/{user_id}',
    'POST /batch',
    'POST /checks/offer',
    'POST /checks/trial',
    'POST /devices',
    'POST /devices/change',
    'POST /devices/{device_id}/check',
    'POST /devices/{device_id}/traceroute',
    'POST /imports/plan',
    'POST /keys',
    'POST /marks',
    'POST /mschedules/preview',
    'POST /nschedules/preview',
    'POST /session',
    'POST /users',
    'POST /users/{user_id}/invite',
    'PUT /alerts/acknowledge',
    'PUT /alerts/snooze',
    'PUT /alerts/{alert_id}/acknowledge',
    'PUT /alerts/{alert_id}/reopen',
    'PUT /alerts/{alert_id}/snooze',
    'PUT /devices',
    'PUT /devices/{device_id}',
    'PUT /devices/{device_id}/push/rotate',
    'PUT /devices/{device_id}/start-maintenance',
    'PUT /devices/{device_id}/stop-maintenance',
    'PUT /keys/{key_id}',
    'PUT /outages/{outage_id}',
    'PUT /session/password',
    'PUT /tags/{tag_id}/devices/{device_id}',
    'PUT /tags/{tag_id}/start-maintenance',
    'PUT /tags/{tag_id}/stop-maintenance',
    'PUT /users/{user_id}',
  ]);
  expect(shown((route) => route.method === 'GET' && !isOpenToScope(route))).toEqual([
    'GET /account/limits',
    'GET /contacts',
    'GET /contacts/{contact_id}',
    'GET /contacts/{contact_id}/deliveries',
    'GET /hooks',
    'GET /hooks/{hook_id}',
    'GET /installation',
    'GET /installation/settings',
    'GET /pages',
    'GET /pages/{page_id}',
    'GET /quarantine',
    'GET /reports',
    'GET /reports/{report_id}',
    'GET /secrets',
    'GET /secrets/{secret_id}',
    'GET /sign-in',
  ]);
});

describe('what is outside the scope', () => {
  let account: Awaited<ReturnType<typeof addScopedAccount>>;
  let key = '';
  const send: AccountApi['send'] = (method, path, body) => account.send(method, path, body, { key });
  beforeAll(async () => {
    account = await addScopedAccount(rest, 'outside');
    key = await account.keyOf('UW');
  });

  test('is 1003 as for another account, in each route that names it', async () => {
    const { foreign } = account;
    const paths = rest.routes
      .filter(({ path }) => /\{(device_id|alert_id|maintenance_id)\}/.test(path))
      .filter(({ level, path }) => level !== 'UA' && !path.startsWith('/tags'));
    expect(paths.length).toBeGreaterThan(15);
    for (const { method, path } of paths) {
      const named = path
        .replace('{device_id}', foreign.id)
        .replace('{alert_id}', foreign.alert)
        .replace('{maintenance_id}', foreign.maintenance);
      const reply = await send(method, named, method === 'PUT' ? {} : undefined);
      expect([method, path, reply.text.slice(0, 20)]).toEqual([method, path, '{"code":1003,"messag']);
    }
  });

  test('is not changed by what names many', async () => {
    const before = await account.send('GET', `/alerts/${account.foreign.alert}`);
    expect((await send('PUT', '/alerts/acknowledge', { Filter: {} })).status).toBe(200);
    expect((await account.send('GET', `/alerts/${account.foreign.alert}`)).text).toBe(before.text);
    expect((await account.send('GET', `/alerts/${account.own.alert}`)).text).not.toContain('"State":"Open"');
  });

  test('is no master, and no tag of it can be named', async () => {
    const body = { Method: 'TCP', URL: 'a.example:1', ShortName: 'a', Tags: ['mine'] };
    const behind = await send('POST', '/devices', { ...body, device_master_id: account.foreign.id });
    expect(behind.text).toContain('device_master_id');
    expect((await send('POST', '/devices', { ...body, Tags: ['mine', 'theirs'] })).text).toContain(
      'There is no tag \\"theirs\\"',
    );
  });

  test('is refused where it belongs to the whole account', async () => {
    const answers: string[] = [];
    for (const [method, path, body] of [
      ['GET', '/contacts'],
      ['GET', '/secrets'],
      ['GET', '/hooks'],
      ['POST', '/pages', { Name: 'p', Path: 'p' }],
      ['POST', '/reports', { Name: 'r', Contacts: ['key:reader'] }],
      ['POST', '/tags', { Name: 'new' }],
      ['POST', '/locations', { Name: 'new' }],
      ['PUT', '/account', {}],
      ['DELETE', `/tags/${account.tags.mine}`],
      ['POST', '/nschedules', { Name: 'n', Steps: [] }],
    ] as const)
      answers.push((await send(method, path, body)).text.slice(0, 12));
    expect(new Set(answers)).toEqual(new Set(['{"code":1002']));
  });
});

describe('a limited writer', () => {
  let account: Awaited<ReturnType<typeof addScopedAccount>>;
  let key = '';
  const send: AccountApi['send'] = (method, path, body, more) =>
    account.send(method, path, body, { key, ...more });
  beforeAll(async () => {
    account = await addScopedAccount(rest, 'writer');
    key = await account.keyOf('UW');
  });

  test('creates, changes and deletes devices of the scope', async () => {
    const device = { Method: 'TCP', URL: 'new.example:1', ShortName: 'new' };
    const made = z
      .object({ device_id: z.string() })
      .parse((await send('POST', '/devices', { ...device, Tags: ['mine'] })).json);
    const path = `/devices/${made.device_id}`;
    expect((await send('PUT', path, { FullName: 'New' })).status).toBe(200);
    const whole = await send('GET', path);
    const etag = whole.headers.get('ETag') ?? '';
    const written = await send('PUT', path, { Severity: 'info' }, { headers: { 'If-Match': etag } });
    expect([written.status, written.text]).toEqual([200, written.text]);
    expect((await send('PUT', `${path}/maintenance`, { Duration: '01:00' })).status).not.toBe(500);
    expect((await send('PUT', path, { Enabled: false })).status).toBe(200);
    expect((await send('GET', '/audit')).text).toContain(made.device_id);
    expect((await send('DELETE', path)).status).toBe(200);
  });

  test('cannot create a device outside, nor move one out', async () => {
    const device = { Method: 'TCP', URL: 'new.example:1', ShortName: 'outside' };
    const outside = 'Tags must keep one of the tags to which your key is limited';
    expect((await send('POST', '/devices', device)).text).toContain(outside);
    expect((await send('PUT', `/devices/${account.own.id}`, { Tags: [] })).text).toContain(outside);
    expect((await send('DELETE', `/tags/${account.tags.mine}/devices/${account.own.id}`)).text).toContain(
      outside,
    );
    const atomic = { Atomic: true, Operations: [{ Method: 'POST', Path: '/devices', Body: device }] };
    expect((await send('POST', '/batch', atomic)).text).toContain(outside);
    const repeated = await send('POST', '/devices', device, { headers: { 'Idempotency-Key': 'k' } });
    expect(repeated.text).toContain(outside);
    expect((await send('GET', `/devices/${account.own.id}`)).text).toContain('"Name":"mine"');
    expect((await account.send('GET', '/devices')).text).not.toContain('"ShortName":"outside"');
  });

  test('gives nobody more than it has', async () => {
    const admin = await account.keyOf('UA');
    const as = (Tags: unknown) =>
      account.send('POST', '/keys', { Name: 'k', Level: 'UR', Tags }, { key: admin });
    const fault = 'Tags must be set, and hold none but those of your own key';
    expect((await as(null)).text).toContain(fault);
    expect((await as([account.tags.theirs])).text).toContain('There is no tag');
    expect((await as(['mine'])).status).toBe(200);
    const person = { Name: 'Ada', Email: 'ada@example.org', Level: 'UR' };
    expect((await account.send('POST', '/users', person, { key: admin })).text).toContain(fault);
    const keys = z
      .array(z.object({ Name: z.string(), Tags: z.array(z.object({ Name: z.string() })) }))
      .parse((await account.send('GET', '/keys', undefined, { key: admin })).json);
    expect(new Set(keys.flatMap(({ Tags }) => Tags.map(({ Name }) => Name)))).toEqual(new Set(['mine']));
  });

  test('sees the own tags in its session', async () => {
    const reply = await rest.send('POST', '/session', { body: { Key: key } });
    expect(reply.json).toMatchObject({ Level: 'UW', Tags: ['mine'] });
  });
});

test('a changed scope holds for the next request, and a deleted tag leaves nothing to see', async () => {
  const account = await addScopedAccount(rest, 'changed');
  const made = issued.parse(
    (await account.send('POST', '/keys', { Name: 'k', Level: 'UR', Tags: ['mine'] })).json,
  );
  const names = async () => {
    const { text } = await account.send('GET', '/devices', undefined, { key: made.Key });
    return ['own', 'foreign'].filter((name) => text.includes(`"${name}"`));
  };
  expect(await names()).toEqual(['own']);
  const put = (Tags: unknown) => account.send('PUT', `/keys/${made.key_id}`, { Tags });
  expect((await put(['mine', 'theirs'])).status).toBe(200);
  expect(await names()).toEqual(['own', 'foreign']);
  expect((await put([account.tags.theirs])).status).toBe(200);
  expect(await names()).toEqual(['foreign']);
  expect((await account.send('DELETE', `/tags/${account.tags.theirs}`)).status).toBe(200);
  expect(await names()).toEqual([]);
  expect((await account.send('GET', `/keys/${made.key_id}`)).json).toMatchObject({ Tags: [] });
  expect((await put(null)).status).toBe(200);
  expect(await names()).toEqual(['own', 'foreign']);
});

test('what leaves the scope is Gone, what is outside is never shown', async () => {
  const account = await addScopedAccount(rest, 'gone');
  const key = await account.keyOf('UR');
  const first = await account.send('GET', '/states', undefined, { key });
  const since = first.headers.get('Vantage-Revision') ?? '';
  await account.send('PUT', `/devices/${account.foreign.id}`, { FullName: 'x' });
  await account.send('DELETE', `/devices/${account.foreign.id}`);
  const poll = () => account.send('GET', `/states?ChangedSince=${since}`, undefined, { key });
  expect((await poll()).text).not.toContain(account.foreign.id);
  await account.send('PUT', `/devices/${account.own.id}`, { Tags: [] });
  expect((await poll()).json).toEqual([{ device_id: account.own.id, Gone: true }]);
  await account.send('DELETE', `/devices/${account.own.id}`);
  expect((await poll()).json).toEqual([{ device_id: account.own.id, Gone: true }]);
});
