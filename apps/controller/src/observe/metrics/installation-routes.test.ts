import { newId } from '@vantage/kernel';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

let rest: RestFixture;
let accountNo: number;
beforeAll(async () => {
  rest = await createRestFixture();
  ({ accountNo } = await rest.account('one'));
});
afterAll(() => rest[Symbol.asyncDispose]());

test('an admin reads the health of the installation; nobody else does', async () => {
  const { key } = await rest.key(accountNo, 'UA');
  const nowUs = rest.clock.nowUs();
  const iso = (us: number) => `${new Date(us / 1000).toISOString().slice(0, 19)}+00:00`;
  await sql`insert into controllers (controller_id, started_us, last_seen_us) values
    ('runs', ${nowUs - 60_000_000}::bigint, ${nowUs}::bigint), ('ended', 1, ${nowUs - 600_000_000}::bigint)`.execute(
    rest.db.kysely,
  );
  const read = async () => (await rest.send('GET', '/installation', { key })).json;
  expect(await read()).toEqual({
    Version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    Warnings: [],
    Findings: [],
    Controllers: [{ StartedAt: iso(nowUs - 60_000_000), LastSeen: iso(nowUs) }],
    Backup: { Made: null, Verified: null, MaxDays: null },
    Disk: null,
    DatabaseBytes: expect.any(Number),
    CertificateEnd: null,
    Queues: {
      NotificationsPending: 0,
      OldestNotification: null,
      RolledUpTo: null,
      HoursToRollUp: 0,
      OverdueRunRequests: 0,
      QuarantinedLastDay: 0,
      RefusedItems: 0,
    },
  });
  await sql`insert into last_backup (at_us, verified_us) values (${nowUs}::bigint, ${nowUs - 86_400_000_000}::bigint)`.execute(
    rest.db.kysely,
  );
  expect(await read()).toMatchObject({ Backup: { Made: iso(nowUs), Verified: iso(nowUs - 86_400_000_000) } });
  for (const level of ['UR', 'UO', 'UW'] as const) {
    const { key: other } = await rest.key(accountNo, level);
    expect((await rest.send('GET', '/installation', { key: other })).json).toMatchObject({ code: 1002 });
  }
});

test("the sums of all accounts are for the installation's first account; another admin sees the own ones", async () => {
  const second = await rest.account('two');
  const first = { accountNo, locationNo: await locationOf(accountNo) };
  const nowUs = rest.clock.nowUs();
  const rows = createFixtures(rest.db.kysely);
  for (const [place, count] of [
    [first, 3],
    [second, 2],
  ] as const) {
    const device_no = await rows.device(place.accountNo, []);
    const { agentNo: agent_no } = await rows.agent(place);
    for (let n = 0; n < count; n += 1) {
      await rest.db.kysely
        .insertInto('run_requests')
        .values({
          run_request_id: newId(),
          kind: 'Now',
          device_no,
          agent_no,
          location_no: place.locationNo,
          revision: 1,
          deadline_us: 1,
          created_us: 1,
        })
        .execute();
      await sql`insert into quarantined (agent_no, received_us, reason, record)
        values (${agent_no}, ${nowUs}, 'r', '{}')`.execute(rest.db.kysely);
    }
  }
  await sql`insert into job_quarantine (job, item, reason, first_failed_us, last_failed_us)
    values ('j', 'i', 'r', 1, 1)`.execute(rest.db.kysely);
  const read = async (no: number) => {
    const { key } = await rest.key(no, 'UA');
    return (await rest.send('GET', '/installation', { key })).json;
  };
  const queues = (count: number) => ({
    OverdueRunRequests: count,
    QuarantinedLastDay: count,
  });
  expect(await read(accountNo)).toMatchObject({
    DatabaseBytes: expect.any(Number),
    Queues: { ...queues(5), RefusedItems: 1 },
  });
  expect(await read(second.accountNo)).toMatchObject({
    DatabaseBytes: null,
    Disk: null,
    Queues: { ...queues(2), RefusedItems: 0 },
  });
});

async function locationOf(no: number): Promise<number> {
  const row = await rest.db.kysely
    .selectFrom('locations')
    .select('location_no')
    .where('account_no', '=', no)
    .executeTakeFirstOrThrow();
  return row.location_no;
}
