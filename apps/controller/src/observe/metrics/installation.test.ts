import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRestFixture, type RestFixture } from '../../rest/api/testing/rest-fixture.ts';

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
