import { newId } from '@vantage/kernel';
import { createZone } from '@vantage/rest-kit/zone';
import type { Db, Reader } from '@vantage/storage';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

const entries = z.array(z.looseObject({ device_id: z.string(), ShortName: z.string() }));

describe('a list of devices', () => {
  let rest: RestFixture;
  let key: string;
  let accountNo: number;
  let locationNo: number;
  let tag_id: string;
  beforeAll(async () => {
    rest = await createRestFixture();
    ({ accountNo, locationNo } = await rest.account('one', 'Europe/Berlin'));
    ({ key } = await rest.key(accountNo, 'UW'));
    tag_id = await created('/tags', { Name: 'web' });
    await created('/devices', { ...tcp('b'), FullName: 'Shop in 100% Berlin_1', Tags: ['web'] });
    await created('/devices', { ...tcp('c'), URL: 'needle.example:9', ExternalKey: 'shop/1' });
    await created('/devices', { Method: 'PING', URL: 'p.example', ShortName: 'a', Locations: [] });
    await rest.send('PUT', `/devices/${await idOf('a')}`, { key, body: { Severity: 'info' } });
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const tcp = (ShortName: string) => ({ Method: 'TCP', URL: 'example.org:9', ShortName });
  const created = async (path: string, body: object) => {
    const { json, text } = await rest.send('POST', path, { key, body });
    return z.record(z.string(), z.string(text)).parse(json)[path === '/tags' ? 'tag_id' : 'device_id'] ?? '';
  };
  const list = (query: string) => rest.send('GET', `/devices?${query}`, { key });
  const namesOf = async (query: string) =>
    entries.parse((await list(query)).json).map(({ ShortName }) => ShortName);
  const idOf = async (ShortName: string) =>
    entries.parse((await list('')).json).find((row) => row.ShortName === ShortName)?.device_id ?? '';
  const noOf = async (ShortName: string) =>
    (
      await rest.db.kysely
        .selectFrom('devices')
        .select('device_no')
        .where('short_name', '=', ShortName)
        .executeTakeFirstOrThrow()
    ).device_no;

  it.each([
    ['Search=BERLIN', ['b']],
    ['Search=100%25', ['b']],
    ['Search=_', ['b']],
    ['Search=needle', ['c']],
    ['Search=example', ['b', 'c', 'a']],
    ['Search=%5C', []],
    ['Tag=web', ['b']],
    ['Method=PING', ['a']],
    ['Location=local', ['b', 'c']],
    ['ExternalKey=shop/1', ['c']],
    ['ExternalKey=nothing', []],
    ['Method=TCP&Search=needle&Location=local&Filter=Unknown', ['c']],
    ['Tag=web&Method=PING', []],
    ['Severity=info', ['a']],
    ['Severity=critical,info', ['b', 'c', 'a']],
    ['Severity=critical&Tag=web', ['b']],
    ['Retrying=true', []],
    ['Retrying=false', ['b', 'c', 'a']],
    ['Filter=Ok,Unknown&Method=TCP&Search=needle&Location=local', ['c']],
    ['Status=Unknown,Down&Method=TCP&Search=needle&Location=local', ['c']],
    ['Filter=Up,Down&Status=Unknown', []],
    ['Filter=Up', []],
    ['Sort=ShortName', ['a', 'b', 'c']],
    ['Sort=-ShortName', ['c', 'b', 'a']],
    ['Sort=CreatedAt', ['b', 'c', 'a']],
    ['Sort=-CreatedAt', ['a', 'c', 'b']],
    ['Sort=ShortName&Limit=2&Offset=1', ['b', 'c']],
  ])('%s has the devices %j', async (query, names) => {
    expect(await namesOf(query)).toEqual(names);
  });

  it('can be narrowed to a tag by its id and to a Location by its id; unknown ones are 1003', async () => {
    const { location_id } = await rest.db.kysely
      .selectFrom('locations')
      .select('location_id')
      .where('location_no', '=', locationNo)
      .executeTakeFirstOrThrow();
    expect(await namesOf(`Tag=${tag_id}&Location=${location_id}`)).toEqual(['b']);
    for (const query of ['Tag=nothing', 'Location=nothing', `Filter=${newId()}`, `After=${newId()}`])
      expect((await list(query)).json).toMatchObject({ code: 1003 });
    const [first] = entries.parse((await list('')).json);
    for (const query of ['Method=X', 'Sort=Name', 'Search=', `Sort=-CreatedAt&After=${first?.device_id}`])
      expect((await list(query)).json).toMatchObject({ code: 1004 });
  });

  it('is sorted by Status and by StatusSince', async () => {
    const { kysely } = rest.db;
    await kysely.updateTable('locations').set({ online: true, online_since_us: 0 }).execute();
    const state = async (name: string, status: 'Up' | 'Down', since_us: number) =>
      kysely
        .updateTable('device_state')
        .set({ status, since_us })
        .where('device_no', '=', await noOf(name))
        .execute();
    await state('b', 'Up', 1_000_000);
    await state('c', 'Down', 2_000_000);
    expect(await namesOf('Sort=Status')).toEqual(['c', 'a', 'b']);
    expect(await namesOf('Sort=-Status')).toEqual(['b', 'a', 'c']);
    expect(await namesOf('Sort=StatusSince')).toEqual(['b', 'c', 'a']);
    expect(await namesOf('Sort=-StatusSince&Limit=1')).toEqual(['a']);
  });

  it('names the master where both are Down', async () => {
    const because = async () =>
      z
        .array(z.object({ DownBecause: z.string().nullable() }))
        .parse((await list('Search=needle')).json)
        .map(({ DownBecause }) => DownBecause);
    const [device, master] = [await noOf('c'), await noOf('a')];
    const { device_id: masterId } = await rest.db.kysely
      .selectFrom('devices')
      .select('device_id')
      .where('device_no', '=', master)
      .executeTakeFirstOrThrow();
    await rest.db.kysely
      .updateTable('devices')
      .set({ master_no: master })
      .where('device_no', '=', device)
      .execute();
    const before = await rest.db.kysely
      .selectFrom('device_state')
      .select(['device_no', 'status'])
      .where('device_no', 'in', [device, master])
      .execute();
    const set = async (deviceNo: number, status: 'Up' | 'Down' | 'Unknown') =>
      rest.db.kysely.updateTable('device_state').set({ status }).where('device_no', '=', deviceNo).execute();
    await set(device, 'Down');
    await set(master, 'Up');
    expect(await because()).toEqual([null]);
    await set(master, 'Down');
    expect(await because()).toEqual([masterId]);
    await set(device, 'Up');
    expect(await because()).toEqual([null]);
    for (const { device_no, status } of before) await set(device_no, status);
    await rest.db.kysely
      .updateTable('devices')
      .set({ master_no: null })
      .where('device_no', '=', device)
      .execute();
  });

  it('shows the end of the current maintenance, of joined windows the last', async () => {
    const [device] = entries.parse((await list('Search=needle')).json);
    const until = async () =>
      z
        .object({ MaintenanceUntil: z.string().nullable() })
        .parse((await rest.send('GET', `/devices/${device?.device_id}`, { key })).json).MaintenanceUntil;
    expect(await until()).toBeNull();
    const now = rest.clock.nowUs();
    const window = async (fromS: number, toS: number) =>
      rest.db.kysely
        .insertInto('maintenance_windows')
        .values({ device_no: await noOf('c'), from_us: now + fromS * 1e6, to_us: now + toS * 1e6 })
        .execute();
    await window(-100, -50);
    await window(200, 300);
    expect(await until()).toBeNull();
    await window(-10, 60);
    expect(await until()).toBe('2026-09-21T16:14:20+02:00');
    await window(30, 120);
    await window(120, 180);
    expect(await until()).toBe('2026-09-21T16:16:20+02:00');
    expect((await list('Search=needle')).json).toMatchObject([
      { MaintenanceUntil: '2026-09-21T16:16:20+02:00' },
    ]);
  });

  describe('that several ask for at one moment', () => {
    /** Asks without a connection, so that all who ask at once are there before the database answers. */
    const ask = async (query: string, zone = 'Europe/Berlin', db: Db = rest.db) => {
      const route = rest.routes.find(({ method, path }) => method === 'GET' && path === '/devices');
      const caller = {
        keyNo: 1,
        address: '',
        level: 'UR',
        accountId: '',
        keyName: '',
        hasBasic: false,
      } as const;
      const session = { ...caller, accountNo, zone: createZone(zone) };
      const reply = await route?.run({
        session,
        db,
        key,
        address: '',
        params: {},
        query: new URLSearchParams(query),
        lastEventId: undefined,
        sessionNow: () => session,
        body: async () => ({}),
        signal: new AbortController().signal,
      });
      return reply?.body;
    };
    const rename = (name: string, { kysely }: Reader = rest.db) =>
      kysely.updateTable('devices').set({ short_name: name }).where('external_key', '=', 'shop/1').execute();

    it('is read once for all who came while it was read', async () => {
      const bodies = await Promise.all(Array.from({ length: 20 }, () => ask('Limit=100')));
      expect(new Set(bodies).size).toBe(2);
      expect(bodies[1]).toEqual(bodies[0]);
      const others = [
        'Limit=100',
        'Limit=99',
        'Limit=100&Sort=ShortName',
        'Limit=100&Tag=web',
        'Limit=100&Search=a',
      ];
      const own = await Promise.all([...others.map((query) => ask(query)), ask('Limit=100', 'Asia/Tokyo')]);
      expect(new Set(own).size).toBe(own.length);
    });

    it('has what a caller changed before it asked, whatever others read meanwhile', async () => {
      for (let round = 0; round < 10; round += 1) {
        const before = [ask('Limit=50'), ask('Limit=50')];
        await rename(`after ${round}`);
        const [after] = await Promise.all([ask('Limit=50'), ...before]);
        expect(JSON.stringify(after)).toContain(`"after ${round}"`);
      }
      await rename('c');
    });

    it('is not shared with a transaction', async () => {
      const outside = ask('Limit=60');
      const undone = rest.db.inTransaction(async (db) => {
        await rename('inside', db);
        const inside = await Promise.all([
          ask('Limit=60', 'Europe/Berlin', db),
          ask('Limit=60', 'Europe/Berlin', db),
        ]);
        expect(inside.every((body) => JSON.stringify(body).includes('"inside"'))).toBe(true);
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      for (const body of [await outside, await ask('Limit=60')])
        expect(JSON.stringify(body)).not.toContain('"inside"');
    });
  });

  it('pages by the id of its last row: nothing is missed and nothing comes twice, whatever happens meanwhile', async () => {
    const other = await rest.account('pages');
    const { key: own } = await rest.key(other.accountNo, 'UW');
    const send = (method: string, path: string, body?: object) =>
      rest.send(method, path, body === undefined ? { key: own } : { key: own, body });
    const make = async (name: string) =>
      z.object({ device_id: z.string() }).parse((await send('POST', '/devices', tcp(name))).json).device_id;
    const step = fc.record({
      what: fc.constantFrom('create', 'update', 'delete'),
      at: fc.nat({ max: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 6 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, size) => {
          await rest.db.kysely.deleteFrom('devices').where('account_no', '=', other.accountNo).execute();
          const there: string[] = [];
          for (let at = 0; at < 8; at += 1) there.push(await make(`d${at}`));
          const gone = new Set<string>();
          const seen: string[] = [];
          let next: string | undefined = `/devices?Limit=${size}`;
          for (let page = 0; next !== undefined; page += 1) {
            const reply = await send('GET', next);
            seen.push(...entries.parse(reply.json).map(({ device_id }) => device_id));
            next = /<\/v1\.1([^>]+)>/.exec(reply.headers.get('link') ?? '')?.[1];
            const { what, at } = steps[page] ?? { what: 'none', at: 0 };
            const id = there[at % there.length] ?? '';
            if (what === 'create') await Promise.all([make('x'), make('y')]);
            if (what === 'update' && !gone.has(id)) await send('PUT', `/devices/${id}`, { ShortName: 'z' });
            // Also the device at which the next page begins.
            const victim = at % 2 === 0 ? (seen.at(-1) ?? id) : id;
            if (what === 'delete' && !gone.has(victim)) {
              await send('DELETE', `/devices/${victim}`);
              gone.add(victim);
            }
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(there.filter((id) => !gone.has(id) && !seen.includes(id))).toEqual([]);
        },
      ),
      { numRuns: 10 },
    );
  });
});
