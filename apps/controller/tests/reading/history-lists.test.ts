import { secondUs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';
import { addChecks, createSampleAccount, type SampleAccount } from '../../src/testing/sample-account.ts';

const event = z.object({ event_id: z.string(), Timestamp: z.string(), Message: z.string() });
const check = z.object({ check_id: z.string(), Timestamp: z.string() });
const problem = z.object({ code: z.int(), message: z.string() });

describe('a list of history', () => {
  let rest: RestFixture;
  let account: { accountNo: number; locationNo: number };
  let key: string;
  let foreignKey: string;
  let sample: SampleAccount;
  let foreign: SampleAccount;
  let device = '';
  /** A whole second in the past; the clock stands later. */
  let startUs = 0;

  beforeAll(async () => {
    rest = await createRestFixture();
    account = await rest.account('one', 'Asia/Kathmandu');
    const other = await rest.account('other');
    ({ key } = await rest.key(account.accountNo, 'UW'));
    ({ key: foreignKey } = await rest.key(other.accountNo, 'UW'));
    sample = await createSampleAccount(rest, account, key);
    foreign = await createSampleAccount(rest, other, foreignKey);
    device = `/devices/${sample.ids['device_id']}`;
    startUs = rest.clock.nowUs() - 3_600 * secondUs;
    startUs -= startUs % secondUs;
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const get = (path: string) => rest.send('GET', path, { key });
  const code = async (path: string) => problem.parse((await get(path)).json).code;
  const addEvents = (
    rows: readonly {
      at_us: number;
      message: string;
      type?: string;
      location_no?: number;
      device_no?: number;
    }[],
  ) =>
    rest.db.kysely
      .insertInto('events')
      .values(
        rows.map((row) => ({
          event_id: newId(),
          account_no: account.accountNo,
          device_no: sample.deviceNo,
          type: 'Changed',
          status: 'Up',
          recorded_us: 1,
          ...row,
        })),
      )
      .execute();
  const messages = async (path: string) =>
    z
      .array(event)
      .parse((await get(path)).json)
      .map(({ Message }) => Message);
  const next = (headers: Headers) => /^<\/v1\.1(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  const who = () => ({ ...account, deviceNo: sample.deviceNo, agentNo: sample.agentNo });

  it('includes the whole second of a returned timestamp that is sent back', async () => {
    const at = startUs - 10 * secondUs;
    await addEvents([
      { at_us: at - 1, message: 'second before' },
      { at_us: at, message: 'begin' },
      { at_us: at + 999_999, message: 'end' },
      { at_us: at + secondUs, message: 'second after' },
    ]);
    const shown = z.array(event).parse((await get(`${device}/events`)).json);
    const timestamp = shown.find(({ Message }) => Message === 'end')?.Timestamp ?? '';
    const sent = encodeURIComponent(timestamp);
    expect(await messages(`${device}/events?Timestamp=${sent}`)).toEqual(['end', 'begin', 'second before']);
    expect(await messages(`/events?Timestamp1=${sent}&Timestamp2=${sent}`)).toEqual(['end', 'begin']);
    // An unescaped + arrives as a blank.
    expect(await messages(`/events?Timestamp1=${timestamp}&Timestamp2=${timestamp}`)).toEqual([
      'end',
      'begin',
    ]);
    const fine = new Date((at + 500_000) / 1000).toISOString();
    expect(await messages(`${device}/events?Timestamp=${fine}`)).toEqual(['begin', 'second before']);
    await addChecks(rest, who(), [at + 400_000]);
    const checks = z
      .array(check)
      .parse((await get(`${device}/checks?Timestamp1=${sent}&Timestamp2=${sent}`)).json);
    expect(checks.map((one) => one.Timestamp)).toEqual([timestamp]);
  });

  it('repeats no event when a new one arrives between two pages', async () => {
    const at = startUs - 100 * secondUs;
    await addEvents([1, 2, 3, 4].map((n) => ({ at_us: at, message: `${n}`, type: 'Partial' })));
    const first = await get(`${device}/events?Type=Partial&Limit=2`);
    await addEvents([{ at_us: at + 1, message: 'new', type: 'Partial' }]);
    const link = next(first.headers) ?? '';
    const second = await get(link);
    const seen = [first, second].flatMap(({ json }) =>
      z
        .array(event)
        .parse(json)
        .map(({ Message }) => Message),
    );
    expect(seen).toEqual(['4', '3', '2', '1']);
    expect(second.headers.get('link')).toBeNull();
    expect(link).not.toContain('Offset');
  });

  it('goes on before an event whose device was deleted after the page', async () => {
    const at = startUs - 150 * secondUs;
    const body = { Method: 'TCP', URL: 'a.example:1', ShortName: 'gone' };
    const created = await rest.send('POST', '/devices', { key, body });
    const { device_id } = z.object({ device_id: z.string() }).parse(created.json);
    const { device_no } = await rest.db.kysely
      .selectFrom('devices')
      .select('device_no')
      .where('device_id', '=', device_id)
      .executeTakeFirstOrThrow();
    await addEvents([{ at_us: at, message: 'older', type: 'Partial' }]);
    await addEvents([1, 2].map((n) => ({ at_us: at, message: `gone ${n}`, type: 'Partial', device_no })));
    const from = encodeURIComponent(new Date((at - secondUs) / 1000).toISOString());
    const until = encodeURIComponent(new Date((at + 1_000) / 1000).toISOString());
    const first = await get(`/events?Type=Partial&Timestamp1=${from}&Timestamp2=${until}&Limit=1`);
    expect(z.array(event).parse(first.json)).toMatchObject([{ Message: 'gone 2' }]);
    await rest.send('DELETE', `/devices/${device_id}`, { key });
    expect(await messages(next(first.headers) ?? '')).toEqual(['older']);
    const id = z.array(event).parse(first.json)[0]?.event_id;
    expect((await rest.send('GET', `/events?Before=${id}`, { key: foreignKey })).json).toMatchObject({
      code: 1003,
    });
  });

  it('goes on before a row, and refuses what is no row of it', async () => {
    const at = startUs - 200 * secondUs;
    await addChecks(rest, who(), [at, at + 1, at + 2]);
    const span = `Timestamp2=${encodeURIComponent(new Date(at / 1000).toISOString().replace('.000', ''))}`;
    const page = async (query: string) =>
      z.array(check).parse((await get(`${device}/checks?${span}${query}`)).json);
    const [newest, middle, oldest] = await page('');
    expect(await page(`&Before=${newest?.check_id}`)).toEqual([middle, oldest]);
    expect(await page(`&Before=${newest?.check_id}&Limit=1`)).toEqual([middle]);
    expect(await page(`&Before=${oldest?.check_id}`)).toEqual([]);
    const { check_id: ownCheck } = newest ?? { check_id: '' };
    const [{ event_id: ownEvent } = { event_id: '' }] = z.array(event).parse((await get('/events')).json);
    const foreignEvents = await rest.send('GET', '/events', { key: foreignKey });
    const [{ event_id: foreignEvent } = { event_id: '' }] = z.array(event).parse(foreignEvents.json);
    for (const [path, own, other] of [
      [`${device}/checks`, ownCheck, foreign.ids['check_id']],
      [`${device}/events`, ownEvent, foreignEvent],
      ['/events', ownEvent, foreignEvent],
    ]) {
      expect(await code(`${path}?Before=${own}&Offset=0`)).toBe(1004);
      for (const id of [other, newId(), 'x'])
        expect([id, await code(`${path}?Before=${id}`)]).toEqual([id, 1003]);
      expect(await code(`${path}?Before=`)).toBe(1004);
    }
  });

  it('shows Error before Down where both have the same time', async () => {
    const at = startUs - 300 * secondUs;
    await addEvents([
      { at_us: at, message: 'error', type: 'Error' },
      { at_us: at, message: 'down', type: 'Down' },
    ]);
    expect(await messages(`${device}/events?Type=Down,Error`)).toEqual(['down', 'error']);
    const first = await get(`${device}/events?Type=Error,Down&Limit=1`);
    expect(await messages(next(first.headers) ?? '')).toEqual(['error']);
  });

  it('is narrowed to Locations, ResultCodes and types', async () => {
    const at = startUs - 400 * secondUs;
    const { location_no } = await rest.db.kysely
      .insertInto('locations')
      .values({ location_id: newId(), account_no: account.accountNo, name: 'elsewhere' })
      .returning('location_no')
      .executeTakeFirstOrThrow();
    await addChecks(rest, { ...who(), locationNo: location_no }, [at, at + 1]);
    await rest.db.kysely.updateTable('check_rows').set({ code: 7 }).where('start_us', '=', at).execute();
    await addEvents([{ at_us: at, message: 'there', location_no }]);
    const count = async (query: string) =>
      z.array(check).parse((await get(`${device}/checks?${query}`)).json).length;
    expect(await count('Location=elsewhere')).toBe(2);
    expect(await count('Location=elsewhere&ResultCode=7')).toBe(1);
    expect(await count('ResultCode=6,7')).toBe(1);
    expect(await count('ResultCode=6')).toBe(0);
    expect(await messages(`${device}/events?Location=elsewhere`)).toEqual(['there']);
    expect(await messages('/events?Location=elsewhere&Type=Up')).toEqual([]);
    for (const [path, expected] of [
      ['checks?Location=nowhere', 1003],
      ['events?Location=nowhere', 1003],
      ['checks?ResultCode=11', 1004],
      ['checks?ResultCode=', 1004],
      ['events?Type=down', 1004],
      ['checks?Timestamp1=2026-01-02T00:00:00Z&Timestamp2=2026-01-01T00:00:00Z', 1004],
    ] as const)
      expect([path, await code(`${device}/${path}`)]).toEqual([path, expected]);
    expect(problem.parse((await get(`${device}/events?Type=Down,down`)).json).message).toContain(
      'Type: "down" is not a type of event. Did you mean Down?',
    );
  });

  it('reads local timestamps of a clock change as documented', async () => {
    const berlin = await rest.account('berlin', 'Europe/Berlin');
    const { key: berlinKey } = await rest.key(berlin.accountNo, 'UW');
    const created = await rest.send('POST', '/devices', {
      key: berlinKey,
      body: { Method: 'TCP', URL: 'example.org:80', ShortName: 'dst' },
    });
    const { device_id } = z.object({ device_id: z.string() }).parse(created.json);
    const seconds = async (from: string, to: string) => {
      const path = `/devices/${device_id}/uptime?Timestamp1=${from}&Timestamp2=${to}`;
      const { json } = await rest.send('GET', path, { key: berlinKey });
      return z.object({ Uptime: z.object({ UnknownSeconds: z.number() }) }).parse(json).Uptime.UnknownSeconds;
    };
    // 02:30 comes twice on 26 October 2025: at 00:30Z, which counts, and at 01:30Z.
    expect(await seconds('2025-10-26T00:30:00Z', '2025-10-26T02:30:00')).toBe(0);
    expect(await seconds('2025-10-26T02:30:00', '2025-10-26T01:30:00Z')).toBe(3_600);
    // 02:30 does not exist on 29 March 2026: with the offset +01:00 it is 01:30Z, which clocks show as 03:30.
    expect(await seconds('2026-03-29T02:30:00', '2026-03-29T03:30:00')).toBe(0);
    expect(await seconds('2026-03-29T01:59:59', '2026-03-29T02:30:00')).toBe(1_801);
  });

  it('refuses a period that ends before the device was created', async () => {
    const before = '2020-01-01T00:00:00Z';
    for (const path of ['uptime', 'statistics']) {
      expect(await code(`${device}/${path}?Timestamp2=${before}`)).toBe(1004);
      const both = await get(`${device}/${path}?Timestamp1=2019-12-31T00:00:00Z&Timestamp2=${before}`);
      expect(both.status).toBe(200);
    }
  });
});
