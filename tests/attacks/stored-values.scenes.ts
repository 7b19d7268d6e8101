// Values in the database that no background job can read.
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { scenes } from './harness/shared.ts';

const hourUs = 3_600_000_000;
const poison = [
  '{"Sent": 1e1000, "Received": -1e1000}',
  '{"Sent": "1e1000", "Received": "NaN"}',
  `{"Sent": 1${'0'.repeat(400)}}`,
  '{"Sent": {"a": []}, "Received": [1]}',
];

test('a stored value that no roll-up can read delays no hour of other devices', async () => {
  await scenes.play('poisoned values', async ({ kysely, hostile, neighbour }) => {
    const bucket = (Math.floor((Date.now() * 1000) / hourUs) - 3) * hourUs;
    for (const [i, extended] of poison.entries())
      await copyChecks(hostile.agentNo, { bucket: bucket + (i + 1) * 1_000, extended });
    await copyChecks(neighbour.agentNo, { bucket, extended: null });
    await sql`insert into rollup_dirty (bucket_us) values (${bucket}::bigint), (${bucket + hourUs}::bigint)
      on conflict do nothing`.execute(kysely);
    const rolledUp = () =>
      kysely
        .selectFrom('rollup_hourly')
        .select(['checks'])
        .where('bucket_us', '=', bucket)
        .where('location_no', '=', neighbour.locationNo)
        .execute();
    await vi.waitFor(async () => expect(await rolledUp()).not.toEqual([]), {
      timeout: 40_000,
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

  /** Moves the newest check of an agent into another hour. */
  async function copyChecks(
    agentNo: number,
    { bucket, extended }: { bucket: number; extended: string | null },
  ) {
    const { kysely } = scenes.fixture;
    const copied = await sql`
      insert into checks
      select (jsonb_populate_record(null::checks, to_jsonb(c) || jsonb_build_object(
        'start_us', ${bucket}::bigint, 'end_us', ${bucket + 1000}::bigint, 'extended', ${extended}::jsonb))).*
      from (select * from checks where agent_no = ${agentNo} order by start_us desc limit 1) c`.execute(
      kysely,
    );
    expect(copied.numAffectedRows).toBe(1n);
  }
});
