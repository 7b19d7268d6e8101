import { checkId } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { createSampleAccount, type SampleAccount } from '../../testing/sample-account.ts';

const secondUs = 1_000_000;
const row = z.object({ outage_id: z.string(), Start: z.string(), End: z.string().nullable() });

describe('outages', () => {
  let rest: RestFixture;
  let key: string;
  let sample: SampleAccount;
  let foreign: SampleAccount;
  let device = '';
  let accountNo = 0;
  let atUs = 0;

  beforeAll(async () => {
    rest = await createRestFixture();
    const account = await rest.account('one', 'Europe/Berlin');
    const other = await rest.account('other');
    accountNo = account.accountNo;
    ({ key } = await rest.key(account.accountNo, 'UR'));
    sample = await createSampleAccount(rest, account, (await rest.key(account.accountNo, 'UW')).key);
    foreign = await createSampleAccount(rest, other, (await rest.key(other.accountNo, 'UW')).key);
    device = `/devices/${sample.ids['device_id']}`;
    atUs = rest.clock.nowUs() - 3_600 * secondUs;
    atUs -= atUs % secondUs;
    const intervals = [
      { from_us: atUs, status: 'Up' as const },
      { from_us: atUs + 600 * secondUs, status: 'Down' as const },
      { from_us: atUs + 900 * secondUs, status: 'Up' as const },
      { from_us: atUs + 1_200 * secondUs + 400_000, status: 'Down' as const },
    ];
    await rest.db.kysely.deleteFrom('status_intervals').execute();
    for (const deviceNo of [sample.deviceNo, foreign.deviceNo])
      for (const interval of intervals)
        await rest.db.kysely
          .insertInto('status_intervals')
          .values({ device_no: deviceNo, ...interval })
          .execute();
    for (const { at, type, text } of [
      { at: 600, type: 'Error', text: 'connection refused' },
      { at: 602, type: 'Down', text: 'connection refused again' },
    ])
      await rest.db.kysely
        .insertInto('events')
        .values({
          event_id: newId(),
          account_no: account.accountNo,
          device_no: sample.deviceNo,
          at_us: atUs + at * secondUs,
          type,
          status: 'Up',
          message: 'm',
          recorded_us: 1,
          check_result: text,
          check_id: newId(),
          location_no: account.locationNo,
        })
        .execute();
  });
  afterAll(() => rest[Symbol.asyncDispose]());
  const get = (path: string) => rest.send('GET', path, { key });
  const starts = async (path: string) => z.array(row).parse((await get(path)).json).length;

  it('have their first error, their end and their seconds; an open one has no end', async () => {
    const { json } = await get(`${device}/outages`);
    const openSeconds = Math.floor(rest.clock.nowUs() / secondUs) - atUs / secondUs - 1_200;
    expect(json).toEqual([
      {
        outage_id: expect.stringMatching(/^[0-9a-f]{48}$/),
        device_id: sample.ids['device_id'],
        ShortName: 'dev',
        FullName: null,
        Start: expect.any(String),
        End: null,
        Seconds: openSeconds,
        Location: null,
        Locations: [],
        CheckResult: null,
        check_id: null,
        Acknowledged: false,
        alert_id: sample.ids['alert_id'],
        Behind: 0,
        Note: null,
        Excluded: false,
      },
      {
        outage_id: expect.any(String),
        device_id: sample.ids['device_id'],
        ShortName: 'dev',
        FullName: null,
        Start: '2026-09-21T15:23:20+02:00',
        End: '2026-09-21T15:28:20+02:00',
        Seconds: 300,
        Location: 'local',
        CheckResult: 'connection refused',
        check_id: expect.any(String),
        Acknowledged: false,
        alert_id: null,
        Locations: ['local'],
        Behind: 0,
        Note: null,
        Excluded: false,
      },
    ]);
    expect((await get('/outages')).json).toEqual(json);
  });

  it('are narrowed to a Location, a tag, a Method, open ones and long ones', async () => {
    const { device_id, tag_id } = sample.ids;
    const uw = (await rest.key(accountNo, 'UW')).key;
    await rest.send('PUT', `/tags/${tag_id}/devices/${device_id}`, { key: uw });
    for (const [query, count] of [
      ['Location=local', 1],
      [`Location=${sample.ids['location_id']}`, 1],
      [`Tag=${tag_id}`, 2],
      ['Method=TCP', 2],
      ['Method=HTTP', 0],
      ['Open=true', 1],
      ['Open=N', 1],
      ['MinSeconds=300', 2],
      ['MinSeconds=301', 1],
      ['Open=Y&Location=local', 0],
    ] as const)
      expect([query, await starts(`/outages?${query}`)]).toEqual([query, count]);
    expect(await starts(`${device}/outages?Open=false&MinSeconds=300&Location=local`)).toBe(1);
    for (const [query, code] of [
      ['Location=x', 1003],
      ['Tag=x', 1003],
      ['Method=x', 1004],
      ['Open=yes', 1004],
      ['MinSeconds=-1', 1004],
    ] as const)
      expect([query, (await get(`/outages?${query}`)).json]).toMatchObject([query, { code }]);
  });

  it('name the devices behind theirs that were Down with it', async () => {
    const uw = (await rest.key(accountNo, 'UW')).key;
    const behind = async (name: string, from: number, to: number) => {
      const body = { Method: 'TCP', URL: 'b:1', ShortName: name, device_master_id: sample.ids['device_id'] };
      const { json } = await rest.send('POST', '/devices', { key: uw, body });
      const { device_id } = z.object({ device_id: z.string() }).parse(json);
      await sql`insert into status_intervals select device_no, ${atUs + from * secondUs}::bigint, 'Down' from devices where device_id = ${device_id}
        union all select device_no, ${atUs + to * secondUs}::bigint, 'Up' from devices where device_id = ${device_id}`.execute(
        rest.db.kysely,
      );
      return device_id;
    };
    const ids = [
      await behind('before', 500, 600),
      await behind('around', 590, 1_000),
      await behind('within', 650, 700),
      await behind('after', 900, 950),
    ];
    const shown = z.array(z.object({ Behind: z.int() })).parse((await get(`${device}/outages`)).json);
    expect(shown.map(({ Behind }) => Behind)).toEqual([0, 2]);
    for (const id of ids) await rest.send('DELETE', `/devices/${id}`, { key: uw });
  });

  it('are read alone, and carry what people say: a note, and that uptime leaves them out', async () => {
    const uw = (await rest.key(accountNo, 'UW')).key;
    const { json } = await get(`${device}/outages?Open=N`);
    const [outage] = z.array(row).parse(json);
    const path = `/outages/${outage?.outage_id}`;
    rest.recorded.length = 0;
    expect([(await get(path)).json]).toEqual(json);
    const put = (body: object) => rest.send('PUT', path, { key: uw, body });
    expect((await put({ Note: '  power of rack 3 ' })).json).toMatchObject({
      Note: 'power of rack 3',
      Excluded: false,
    });
    expect((await put({ Excluded: true })).json).toMatchObject({ Note: 'power of rack 3', Excluded: true });
    expect((await get(path)).json).toMatchObject({ Note: 'power of rack 3', Excluded: true });
    expect(rest.recorded.flatMap(({ changes }) => changes)).toMatchObject([
      {
        kind: 'outage',
        id: outage?.outage_id,
        fields: [{ field: 'Note', old: null, new: 'power of rack 3' }],
      },
      { kind: 'outage', id: outage?.outage_id, fields: [{ field: 'Excluded', old: false, new: true }] },
    ]);
    rest.recorded.length = 0;
    // Late results move the first error: the note stays with the outage.
    await sql`update status_intervals set from_us = from_us - ${secondUs} where device_no = ${sample.deviceNo} and from_us = ${atUs + 600 * secondUs}`.execute(
      rest.db.kysely,
    );
    const moved = z
      .array(row.extend({ Note: z.string().nullable() }))
      .parse((await get('/outages?Open=N')).json)[0];
    expect(moved).toMatchObject({ Note: 'power of rack 3', Start: '2026-09-21T15:23:19+02:00' });
    expect((await get(path)).json).toMatchObject({ code: 1003 });
    await sql`update status_intervals set from_us = from_us + ${secondUs} where device_no = ${sample.deviceNo} and from_us = ${atUs + 599 * secondUs}`.execute(
      rest.db.kysely,
    );
    expect((await put({ Note: '', Excluded: false })).json).toMatchObject({ Note: null, Excluded: false });
    expect(rest.recorded).toHaveLength(1);
    await put({ Note: null });
    expect(rest.recorded).toHaveLength(1);
    expect((await rest.db.kysely.selectFrom('outage_notes').selectAll().execute()).length).toBe(0);
    for (const [id, sender, code] of [
      [outage?.outage_id, key, 1002],
      [newId(), uw, 1003],
      [checkId({ deviceNo: sample.deviceNo, startUs: atUs, agentNo: 0 }), uw, 1003],
      [checkId({ deviceNo: foreign.deviceNo, startUs: atUs + 600 * secondUs, agentNo: 0 }), uw, 1003],
    ] as const) {
      const refused = await rest.send('PUT', `/outages/${id}`, { key: sender, body: { Note: 'x' } });
      expect([id, refused.json]).toMatchObject([id, { code }]);
    }
  });

  it('are paged, narrowed to a span, and of one account only', async () => {
    const first = await get('/outages?Limit=1');
    const link = /^<\/v1\.1(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await get(link);
    expect([first, second].flatMap(({ json }) => z.array(row).parse(json))).toEqual(
      z.array(row).parse((await get('/outages')).json),
    );
    expect(second.headers.get('link')).toBeNull();
    const [open] = z.array(row).parse(first.json);
    // A returned Start that is sent back includes its whole second.
    expect(await starts(`/outages?Timestamp1=${open?.Start}&Timestamp2=${open?.Start}`)).toBe(1);
    expect(await starts('/outages?Timestamp2=2026-09-21T15:23:19')).toBe(0);
    expect(await starts('/outages?Timestamp1=2026-09-21T15:30:00&Timestamp2=2026-09-21T15:31:00')).toBe(0);
    const foreignId = checkId({ deviceNo: foreign.deviceNo, startUs: atUs + 600 * secondUs, agentNo: 0 });
    for (const [path, code] of [
      [`${device}/outages?Before=${foreignId}`, 1003],
      [`/outages?Before=${foreignId}`, 1003],
      [`${device}/outages?Before=${newId()}`, 1003],
      [`/outages?Before=${newId()}`, 1003],
      ['/outages?Before=x', 1003],
      [`/outages?Before=${open?.outage_id}&Offset=1`, 1004],
    ] as const)
      expect([path, (await get(path)).json]).toMatchObject([path, { code }]);
  });

  it('that began in maintenance start at its end', async () => {
    const windows = sql`insert into maintenance_windows (device_no, from_us, to_us)
      values (${sample.deviceNo}, ${atUs + 590 * secondUs}, ${atUs + 700 * secondUs})`;
    await windows.execute(rest.db.kysely);
    expect(z.array(row).parse((await get('/outages')).json)[1]?.Start).toBe('2026-09-21T15:25:00+02:00');
    await sql`update maintenance_windows set to_us = ${atUs + 901 * secondUs}`.execute(rest.db.kysely);
    expect(await starts('/outages')).toBe(1);
  });
});
