import { checkId } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Rest, startRest } from '../api/testing/rest.ts';
import { createSampleAccount, type SampleAccount } from '../api/testing/sample-account.ts';

const secondUs = 1_000_000;
const row = z.object({ outage_id: z.string(), Start: z.string(), End: z.string().nullable() });

describe('outages', () => {
  let rest: Rest;
  let key: string;
  let sample: SampleAccount;
  let foreign: SampleAccount;
  let device = '';
  let atUs = 0;

  beforeAll(async () => {
    rest = await startRest();
    const account = await rest.account('one', 'Europe/Berlin');
    const other = await rest.account('other');
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
          ...{ event_id: newId(), account_no: account.accountNo, device_no: sample.deviceNo },
          ...{ at_us: atUs + at * secondUs, type, status: 'Up', message: 'm', recorded_us: 1 },
          ...{ check_result: text, check_id: newId(), location_no: account.locationNo },
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
        ...{ outage_id: expect.stringMatching(/^[0-9a-f]{48}$/), device_id: sample.ids['device_id'] },
        ...{ ShortName: 'dev', Start: expect.any(String), End: null, Seconds: openSeconds },
        ...{ Location: null, CheckResult: null, check_id: null, Acknowledged: false },
      },
      {
        ...{ outage_id: expect.any(String), device_id: sample.ids['device_id'], ShortName: 'dev' },
        ...{ Start: '2026-09-21T15:23:20+02:00', End: '2026-09-21T15:28:20+02:00', Seconds: 300 },
        ...{ Location: 'local', CheckResult: 'connection refused', check_id: expect.any(String) },
        Acknowledged: false,
      },
    ]);
    expect((await get('/outages')).json).toEqual(json);
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
