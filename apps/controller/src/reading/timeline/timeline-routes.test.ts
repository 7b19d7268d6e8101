import { secondUs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../../results/events/record-events.ts';
import { createRestHealth } from '../../results/status/index.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { createSampleAccount, type SampleAccount } from '../../testing/sample-account.ts';

const created = z.object({ device_id: z.string() });
const answer = z.array(z.object({ device_id: z.string(), Intervals: z.array(z.unknown()) }));

describe('GET /timeline', () => {
  let rest: RestFixture;
  let key: string;
  let sample: SampleAccount;
  let foreign: SampleAccount;
  let fresh = '';
  /** A whole second, one hour before the clock's time. */
  let fromUs = 0;

  beforeAll(async () => {
    rest = await createRestFixture({
      health: (_, clock) => createRestHealth({ recordEvents, clock }),
    });
    const account = await rest.account('one');
    const other = await rest.account('other');
    ({ key } = await rest.key(account.accountNo, 'UW'));
    sample = await createSampleAccount(rest, account, key);
    foreign = await createSampleAccount(rest, other, (await rest.key(other.accountNo, 'UW')).key);
    fromUs = rest.clock.nowUs() - 3_600 * secondUs;
    fromUs -= fromUs % secondUs;
    const body = { Method: 'TCP', URL: 'a.example:1', ShortName: 'fresh' };
    fresh = created.parse((await rest.send('POST', '/devices', { key, body })).json).device_id;
    const { kysely } = rest.db;
    // Up for 45 minutes, then 10 s Down, 20 s Up, 5 s Down, and Up since; seen by its agent all the time.
    await sql`update devices set created_us = ${fromUs - 1e9}::bigint where device_id <> ${fresh}`.execute(
      kysely,
    );
    await sql`update devices set created_us = ${fromUs + 3_000 * secondUs}::bigint where device_id = ${fresh}`.execute(
      kysely,
    );
    const no = sample.deviceNo;
    await sql`delete from status_intervals where device_no = ${no}`.execute(kysely);
    for (const [at, status] of [
      [0, 'Up'],
      [2_700, 'Down'],
      [2_710, 'Up'],
      [2_730, 'Down'],
      [2_735, 'Up'],
    ] as const)
      await sql`insert into status_intervals values (${no}, ${fromUs + at * secondUs}, ${status})`.execute(
        kysely,
      );
    await sql`delete from assignment_spans where device_no = ${no}`.execute(kysely);
    await sql`insert into assignment_spans (device_no, agent_no, location_no, from_us, rotation_index, rotation_size, retries_locally, run_immediately)
      values (${no}, ${sample.agentNo}, ${account.locationNo}, ${fromUs}, 0, 1, false, false)`.execute(
      kysely,
    );
    await sql`delete from coverage where agent_no = ${sample.agentNo}`.execute(kysely);
    await sql`insert into coverage values (${sample.agentNo}, ${fromUs}, ${rest.clock.nowUs()})`.execute(
      kysely,
    );
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const id = () => sample.ids['device_id'] ?? '';
  const iso = (us: number) => `${new Date(us / 1000).toISOString().slice(0, 19)}Z`;
  const at = (seconds: number) =>
    `${new Date((fromUs + seconds * secondUs) / 1000).toISOString().slice(0, 19)}+00:00`;
  const get = (query: string) => rest.send('GET', `/timeline?${query}`, { key });
  const of = async (query: string) => answer.parse((await get(query)).json);
  const fault = async (query: string) =>
    z.object({ code: z.int(), message: z.string() }).parse((await get(query)).json);
  const hour = () => `Timestamp1=${iso(fromUs)}`;

  it('has every interval of the period; the last one reaches now', async () => {
    expect(await of(`Devices=${id()}&${hour()}&Resolution=0`)).toEqual([
      {
        device_id: id(),
        Intervals: [
          { Start: at(0), End: at(2_700), Status: 'Up', Seconds: 2_700 },
          { Start: at(2_700), End: at(2_710), Status: 'Down', Seconds: 10 },
          { Start: at(2_710), End: at(2_730), Status: 'Up', Seconds: 20 },
          { Start: at(2_730), End: at(2_735), Status: 'Down', Seconds: 5 },
          { Start: at(2_735), End: null, Status: 'Up', Seconds: 865 },
        ],
      },
    ]);
  });

  it('joins intervals that are shorter than the resolution under the worst status', async () => {
    expect(
      await of(`Devices=${id()}&${hour()}&Timestamp2=${iso(fromUs + 3_000 * secondUs)}&Resolution=60`),
    ).toEqual([
      {
        device_id: id(),
        Intervals: [
          { Start: at(0), End: at(2_700), Status: 'Up', Seconds: 2_700 },
          { Start: at(2_700), End: at(2_735), Status: 'Down', Seconds: 35, Mixed: true },
          { Start: at(2_735), End: at(3_000), Status: 'Up', Seconds: 265 },
        ],
      },
    ]);
  });

  it('begins with the creation of a device, and has no interval of a device that did not exist', async () => {
    const [one] = await of(`Devices=${fresh}&${hour()}`);
    expect(one?.Intervals).toEqual([{ Start: at(3_000), End: null, Status: 'Unknown', Seconds: 600 }]);
    const until = `Timestamp2=${iso(fromUs + 2_000 * secondUs)}`;
    expect(await of(`Devices=${fresh}&${hour()}&${until}`)).toEqual([{ device_id: fresh, Intervals: [] }]);
  });

  it('chooses by ids, tag and Locations, of the own account only', async () => {
    const tag = sample.ids['tag_id'] ?? '';
    await sql`insert into device_tags (device_no, tag_no) select ${sample.deviceNo}, tag_no from tags where tag_id = ${tag}
      on conflict do nothing`.execute(rest.db.kysely);
    const ids = (rows: z.output<typeof answer>) => rows.map(({ device_id }) => device_id);
    expect(ids(await of(`Devices=${fresh},${id()}`))).toEqual([id(), fresh]);
    expect(ids(await of(`Tag=${tag}`))).toEqual([id()]);
    const location = sample.ids['location_id'] ?? '';
    expect(ids(await of(`Locations=${location},${location}`))).toContain(id());
    for (const query of [
      `Devices=${foreign.ids['device_id']}`,
      `Tag=${foreign.ids['tag_id']}`,
      `Locations=${foreign.ids['location_id']}`,
    ])
      expect(await fault(query)).toMatchObject({ code: 1003 });
  });

  it('is bounded: too fine a resolution for the devices and the period is refused with the least one', async () => {
    expect(await fault(`Devices=${id()}&Timestamp1=${iso(fromUs - 31e13)}&Resolution=1`)).toMatchObject({
      code: 1004,
      message: expect.stringContaining('must be at least 620 seconds for 1 devices'),
    });
    expect(await fault(`Resolution=1.5`)).toMatchObject({ code: 1004 });
  });

  it('is bounded: an answer of more intervals than it may have is refused, and without Resolution it is not', async () => {
    const { kysely } = rest.db;
    const nowUs = rest.clock.nowUs();
    const changes = 120_000;
    const fixtures = createFixtures(kysely);
    const device_id = newId();
    const { agentNo } = sample;
    const { account_no: accountNo, location_no: locationNo } = await kysely
      .selectFrom('agents')
      .select(['account_no', 'location_no'])
      .where('agent_no', '=', agentNo)
      .executeTakeFirstOrThrow();
    const deviceNo = await fixtures.device(accountNo, [], { device_id });
    const fromUs = nowUs - 2 * changes * secondUs;
    await fixtures.hold({ deviceNo, agentNo, locationNo, fromUs });
    await sql`insert into coverage values (${agentNo}, ${fromUs}, ${nowUs})`.execute(kysely);
    await sql`insert into status_intervals select ${deviceNo}, ${nowUs}::bigint - n * 2000000::bigint,
      case when n % 2 = 0 then 'Up' else 'Down' end from generate_series(1, ${changes}) n`.execute(kysely);
    const asked = `Devices=${device_id}&Timestamp1=${iso(fromUs)}`;
    expect(await fault(`${asked}&Resolution=1`)).toMatchObject({
      code: 1004,
      message: expect.stringContaining('more than 100,000 intervals'),
    });
    expect((await of(asked))[0]?.Intervals.length).toBeLessThan(1_002);
  });
});
