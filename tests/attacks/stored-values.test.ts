// Values in the database that no background job can read. The job runs every 30 s.
import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import { addHostile, checkNow } from './harness/devices.ts';
import { scenes } from './harness/shared.ts';

const hourUs = 3_600_000_000;
const poison = [
  '{"Sent": 1e1000, "Received": -1e1000}',
  '{"Sent": "1e1000", "Received": "NaN"}',
  `{"Sent": 1${'0'.repeat(400)}}`,
  '{"Sent": {"a": []}, "Received": [1]}',
];

const rolledUpWithinMs = 40_000;
const bucket = (Math.floor((Date.now() * 1000) / hourUs) - 3) * hourUs;
let storedMs = 0;

beforeAll(async () => {
  const { kysely, hostile, neighbour } = scenes.fixture;
  const id = await addHostile(scenes.fixture, { Method: 'TCP', URL: '127.0.0.1:9' });
  await checkNow(scenes.fixture, id ?? '');
  for (const [i, extended] of poison.entries())
    await copyChecks(hostile.agentNo, { at: bucket + (i + 1) * 1_000, extended });
  await copyChecks(neighbour.agentNo, { at: bucket, extended: null });
  await sql`insert into rollup_dirty (bucket_us) values (${bucket}::bigint), (${bucket + hourUs}::bigint)
    on conflict do nothing`.execute(kysely);
  storedMs = performance.now();
});

/** Moves the newest check of an agent into another hour. */
async function copyChecks(agentNo: number, { at, extended }: { at: number; extended: string | null }) {
  const copied = await sql`
    insert into checks
    select (jsonb_populate_record(null::checks, to_jsonb(c) || jsonb_build_object(
      'start_us', ${at}::bigint, 'end_us', ${at + 1000}::bigint, 'extended', ${extended}::jsonb))).*
    from (select * from checks where agent_no = ${agentNo} order by start_us desc limit 1) c`.execute(
    scenes.fixture.kysely,
  );
  expect(copied.numAffectedRows).toBe(1n);
}

test('a stored value that no roll-up can read delays no hour of other devices', async () => {
  await scenes.play('poisoned values', async ({ kysely, neighbour }) => {
    const rolledUp = () =>
      kysely
        .selectFrom('rollup_hourly')
        .select(['checks'])
        .where('bucket_us', '=', bucket)
        .where('location_no', '=', neighbour.locationNo)
        .execute();
    await vi.waitFor(async () => expect(await rolledUp()).not.toEqual([]), {
      timeout: Math.max(1_000, storedMs + rolledUpWithinMs - performance.now()),
      interval: 500,
    });
    await vi.waitFor(
      async () =>
        expect(
          await kysely
            .selectFrom('rollup_dirty')
            .select('bucket_us')
            .where('bucket_us', '<=', bucket + hourUs)
            .execute(),
        ).toEqual([]),
      { timeout: 5_000, interval: 500 },
    );
  });
});
