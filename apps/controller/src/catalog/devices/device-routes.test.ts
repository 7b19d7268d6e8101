import { newId } from '@vantage/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { openTarget } from './stored-target.ts';

const idAnswer = z.strictObject({ device_id: z.string().regex(/^[0-9a-f]{48}$/) });
const problem = z.object({
  code: z.int(),
  message: z.string(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
});

describe('devices', () => {
  let rest: RestFixture;
  let key: string;
  let accountNo: number;
  let locationNo: number;
  beforeAll(async () => {
    rest = await createRestFixture();
    ({ accountNo, locationNo } = await rest.account('one', 'Europe/Berlin'));
    ({ key } = await rest.key(accountNo, 'UW'));
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const tcp = { Method: 'TCP', URL: 'example.org:9', ShortName: 'tcp-1' };
  const web = { Method: 'HTTP', URL: 'https://me:hunter2@example.org/x', ShortName: 'web' };
  const create = async (body: object) =>
    idAnswer.parse((await rest.send('POST', '/devices', { key, body })).json).device_id;
  const put = (id: string, body: object) => rest.send('PUT', `/devices/${id}`, { key, body });
  const get = async (id: string, query = '') =>
    (await rest.send('GET', `/devices/${id}${query}`, { key })).json;
  const refused = async (sending: Promise<{ json: unknown }>) => problem.parse((await sending).json);
  const fieldsOf = async (sending: Promise<{ json: unknown }>) =>
    (await refused(sending)).errors?.map(({ field }) => field).sort();
  const row = (id: string) =>
    rest.db.kysely.selectFrom('devices').selectAll().where('device_id', '=', id).executeTakeFirstOrThrow();
  const clear = async (id: string) => openTarget(rest.sealer, id, (await row(id)).sealed);

  it('are created with defaults and read back', async () => {
    const id = await create(tcp);
    expect(await get(id, '?WithConfig=Y')).toEqual({
      ...tcp,
      device_id: id,
      Status: 'Unknown',
      StatusSince: '2026-09-21T16:13:20+02:00',
      CreatedAt: '2026-09-21T16:13:20+02:00',
      UpdatedAt: '2026-09-21T16:13:20+02:00',
      Enabled: true,
      Severity: 'critical',
      ExternalKey: null,
      Source: null,
      MaintenanceUntil: null,
      Retrying: false,
      DownBecause: null,
      LastCheckResult: null,
      Frequency: 5,
      Timeout: 30,
      Retries: 2,
      Attempts: 3,
      FrequencySeconds: null,
      RetryDelay: 1,
      FullName: null,
      ExpiryWarningDays: null,
      nschedule_id: null,
      mschedule_id: null,
      device_master_id: null,
      Locations: ['local'],
      Options: {},
      Tags: [],
      Warnings: [],
      Maintenance: [],
    });
    const { rows } = { rows: await rest.db.kysely.selectFrom('events').selectAll().execute() };
    expect(rows.at(-1)).toMatchObject({ type: 'Created', status: 'Unknown', account_no: accountNo });
  });

  it('name every fault of a body at once', async () => {
    const body = {
      Method: 'TCP',
      URL: '-rf',
      ShortName: 'too long a name',
      Frequency: 3,
      Timeout: '5',
      Retries: 11,
      RetryDelay: 0.5,
      Locations: ['nowhere'],
      nschedule_id: newId(),
      mschedule_id: 'x',
      device_master_id: newId(),
      Options: { Nonsense: 1 },
      Colour: 'red',
    };
    expect(await fieldsOf(rest.send('POST', '/devices', { key, body }))).toEqual(
      [
        ...Object.keys(body).filter((name) => name !== 'Method' && name !== 'Options'),
        'Options.Nonsense',
      ].sort(),
    );
    expect(await fieldsOf(rest.send('POST', '/devices', { key, body: {} }))).toEqual([
      'Method',
      'ShortName',
      'URL',
    ]);
    const noMethod = { ...tcp, Method: 'X', device_master_id: 'x', Locations: ['nowhere'] };
    expect(await fieldsOf(rest.send('POST', '/devices', { key, body: noMethod }))).toEqual([
      'Locations',
      'Method',
      'device_master_id',
    ]);
    const noUrl = { Method: 'TCP', ShortName: 'a', Options: { Nonsense: 1 } };
    expect(await fieldsOf(rest.send('POST', '/devices', { key, body: noUrl }))).toEqual([
      'Options.Nonsense',
      'URL',
    ]);
  });

  it('keep what a PUT leaves out, clear what it sets to null, and ignore what nobody can set', async () => {
    const id = await create({ ...tcp, FullName: 'A name', Frequency: 1, Timeout: 9 });
    const changed = await put(id, { Frequency: null, FullName: null, ShortName: 'x' });
    expect(changed.json).toMatchObject({
      Frequency: 5,
      FullName: null,
      ShortName: 'x',
      Timeout: 9,
      URL: tcp.URL,
    });
    const whole = z.record(z.string(), z.unknown()).parse(await get(id, '?WithConfig=Y'));
    const again = await put(id, { ...whole, Retries: 3 });
    expect([again.status, again.json]).toEqual([200, { ...whole, Retries: 3, Attempts: 4 }]);
    expect((await row(id)).locations_given).toBe(false);
  });

  it('are checked every few seconds by FrequencySeconds, and are Down after any number of Attempts', async () => {
    const id = await create({ ...tcp, FrequencySeconds: 10, Attempts: 1 });
    const shown = { Frequency: 1, FrequencySeconds: 10, Retries: 2, Attempts: 1 };
    const whole = z.record(z.string(), z.unknown()).parse(await get(id));
    expect(whole).toMatchObject(shown);
    expect((await put(id, whole)).json).toEqual(whole);
    expect(await row(id)).toMatchObject({ frequency_min: 1, frequency_s: 10, retries: 0, revision: 1 });
    expect((await put(id, { ...whole, Frequency: 20, Retries: 5 })).json).toMatchObject({
      Frequency: 20,
      FrequencySeconds: null,
      Retries: 5,
      Attempts: 6,
    });
    const both = put(id, { Frequency: 2, FrequencySeconds: 5, Retries: 3, Attempts: 1 });
    expect(await fieldsOf(both)).toEqual(['Attempts', 'FrequencySeconds']);
    expect(await fieldsOf(put(id, { FrequencySeconds: 7, Attempts: 12 }))).toEqual([
      'Attempts',
      'FrequencySeconds',
    ]);
  });

  it('cannot change their Method, but take it back', async () => {
    const id = await create(tcp);
    expect((await put(id, { Method: 'TCP' })).status).toBe(200);
    expect(await refused(put(id, { Method: 'PING' }))).toMatchObject({ code: 1005 });
    expect(await refused(put(id, { Method: 5 }))).toMatchObject({ code: 1004 });
  });

  it('give agents new settings, and are checked at once after a new target, Frequency or Location', async () => {
    const id = await create(tcp);
    const first = await row(id);
    await rest.clock.advance(1000);
    await put(id, { FullName: 'only shown' });
    expect(await row(id)).toMatchObject({ revision: 1, target_revision: 1, changed_us: first.changed_us });
    await put(id, { Timeout: 7 });
    expect(await row(id)).toMatchObject({ revision: 2, target_revision: 1, changed_us: first.changed_us });
    await put(id, { Frequency: 1 });
    expect(await row(id)).toMatchObject({
      revision: 3,
      target_revision: 1,
      changed_us: first.changed_us + 1_000_000,
    });
    await put(id, { URL: 'example.net:9' });
    expect(await row(id)).toMatchObject({ revision: 4, target_revision: 4 });
    await put(id, { Locations: [] });
    expect(await row(id)).toMatchObject({ revision: 5, target_revision: 4, locations_given: true });
    expect(await get(id)).toMatchObject({
      Locations: [],
      Warnings: [expect.stringContaining('never checked')],
    });
  });

  it('hide secrets and keep them while their mask comes back for the same target', async () => {
    const headers = { Cookie: 'sid=1', 'X-Api-Key': 'k', Accept: '*/*' };
    const id = await create({ ...web, Options: { Headers: headers, User: 'u', Password: 'hunter2' } });
    const shown = { Cookie: '***', 'X-Api-Key': '***', Accept: '*/*' };
    expect(await get(id, '?WithConfig=Y')).toMatchObject({
      URL: 'https://me:***@example.org/x',
      Options: { Headers: shown },
      HostData: { headers: shown },
    });
    const kept = await put(id, {
      URL: 'https://me:***@example.org/y',
      Options: { Headers: { ...shown, Cookie: 'new' }, User: 'u', Password: '***' },
    });
    expect(kept.status).toBe(200);
    expect(await clear(id)).toEqual({
      url: 'https://me:hunter2@example.org/y',
      options: { Headers: { ...headers, Cookie: 'new' }, User: 'u', Password: 'hunter2' },
    });
    for (const url of [
      'http://me:***@example.org/y',
      'https://me:***@example.net/',
      'https://you:***@example.org/',
    ])
      expect(await fieldsOf(put(id, { URL: url }))).toEqual(
        expect.arrayContaining(['Options.Headers.Cookie', 'Options.Headers.X-Api-Key', 'URL']),
      );
    for (const more of [{}, { HostData: { headers: {} } }])
      expect(await fieldsOf(put(id, { URL: 'https://example.net/', ...more }))).toContain('Options.Password');
    expect(
      await fieldsOf(put(id, { Options: { Headers: shown, Password: '***', Proxy: 'http://a.example:1' } })),
    ).toContain('Options.Password');
    expect((await put(id, { URL: 'https://example.net/', Options: null })).status).toBe(200);
    expect(
      await fieldsOf(
        rest.send('POST', '/devices', { key, body: { ...web, URL: 'https://me:***@example.org' } }),
      ),
    ).toEqual(['URL']);
    const dump = JSON.stringify(await rest.db.kysely.selectFrom('devices').selectAll().execute());
    expect(dump).not.toContain('hunter2');
  });

  it('pass what the agent alone knows through, and show it as it stands', async () => {
    const local = (name: string) => ['$', '{local:', name, '}'].join('');
    const options = { Headers: { Cookie: local('sid'), Accept: '*/*' }, User: 'u', Password: local('mail') };
    const url = `https://me:${local('mail')}@example.org/x`;
    const id = await create({ ...web, URL: url, Options: options });
    expect(await get(id, '?WithConfig=Y')).toMatchObject({ URL: url, Options: options });
    expect(await clear(id)).toEqual({ url, options });
    expect((await put(id, { URL: 'https://me:***@example.org/y' })).status).toBe(200);
    const moved = `https://me:${local('mail')}@example.org/y`;
    expect(await get(id)).toMatchObject({ URL: moved, Options: options });
    expect(await clear(id)).toEqual({ url: moved, options });
  });

  it('have a FullName of one line; a stored one is cleaned when shown, and may be sent back', async () => {
    for (const FullName of ['two\nlines', 'evil\u202Etxt', 'bell\u0007'])
      expect(
        (await refused(rest.send('POST', '/devices', { key, body: { ...tcp, FullName } }))).errors,
      ).toEqual([{ field: 'FullName', message: expect.stringContaining('one line') }]);
    const id = await create(tcp);
    const stored = 'two\nlines, evil\u202Etxt';
    await rest.db.kysely
      .updateTable('devices')
      .set({ full_name: stored })
      .where('device_id', '=', id)
      .execute();
    const shown = await get(id);
    expect(shown).toMatchObject({ FullName: 'two lines, eviltxt' });
    expect((await rest.send('PUT', `/devices/${id}`, { key, body: shown })).json).toEqual(shown);
    expect(await row(id)).toMatchObject({ full_name: stored });
  });

  it('of Method Script have a program that can be parsed', async () => {
    const script = { Method: 'Script', URL: 'const a = 1;', ShortName: 'script' };
    const id = await create(script);
    const broken = 'const a = 1;\nlet b = ;';
    for (const sending of [
      rest.send('POST', '/devices', { key, body: { ...script, URL: broken } }),
      put(id, { URL: broken }),
    ])
      expect((await refused(sending)).errors).toEqual([
        { field: 'URL', message: expect.stringContaining('line 2, column 9') },
      ]);
  });

  it('never close a cycle of masters, also by PUTs at the same moment', async () => {
    const [a, b, c] = [await create(tcp), await create(tcp), await create(tcp)];
    expect((await put(b, { device_master_id: a })).json).toMatchObject({ device_master_id: a });
    expect((await put(c, { device_master_id: b })).status).toBe(200);
    expect(await fieldsOf(put(a, { device_master_id: c }))).toEqual(['device_master_id']);
    expect(await fieldsOf(put(a, { device_master_id: a }))).toEqual(['device_master_id']);
    const [d, e] = [await create(tcp), await create(tcp)];
    const both = await Promise.all([put(d, { device_master_id: e }), put(e, { device_master_id: d })]);
    expect(both.map(({ status }) => status).sort((x, y) => x - y)).toEqual([200, 400]);
    const inUse = await refused(rest.send('DELETE', `/devices/${a}`, { key }));
    expect(inUse).toMatchObject({ code: 1005, message: expect.stringContaining(b) });
    await put(b, { device_master_id: null });
    const gone = await rest.send('DELETE', `/devices/${a}`, { key });
    expect(gone.json).toEqual({ device_id: a });
    expect(await refused(rest.send('GET', `/devices/${a}`, { key }))).toEqual({
      code: 1003,
      message: 'No such device.',
    });
  });

  it('notify the planners of all Locations that they concern', async () => {
    const notices: unknown[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    await using _listening = await rest.db.subscribe('catalog', (notice) => {
      notices.push(notice);
      resolve();
    });
    await create(tcp);
    await promise;
    expect(notices).toContainEqual({ location_nos: [locationNo] });
  });
});
