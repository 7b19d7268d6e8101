import { newId } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Fixtures } from '@vantage/testing/fixtures';
import { type Kysely, sql } from 'kysely';

const devicesAtOnce = 50;

/**
 * Gives an account devices that changed their status each minute until now: half of their intervals are outages. No
 * agent checks them. Resolves when the database has its statistics of the rows.
 */
export async function writeLongHistory(
  { kysely, rows }: { readonly kysely: Kysely<Tables>; readonly rows: Fixtures },
  {
    accountNo,
    locationNo,
    devices,
    intervals,
  }: {
    readonly accountNo: number;
    readonly locationNo: number;
    readonly devices: number;
    /** Of each device. */
    readonly intervals: number;
  },
): Promise<void> {
  const { agentNo } = await rows.agent({ accountNo, locationNo }, { name: `past ${newId()}` });
  // A statement has a few seconds.
  for (let made = 0; made < devices; made += devicesAtOnce)
    await sql`
      with made as (
        insert into devices (device_id, account_no, method, url, sealed, short_name, frequency_min, timeout_s, retries,
          retry_delay_s, locations_given, changed_us, created_us, updated_us)
        select md5(random()::text || n) || substr(md5(random()::text), 1, 16), ${accountNo}, 'TCP', '127.0.0.1:9', '\\x00',
          'long history ' || n, 60, 10, 0, 10, true, 1, 1, 1 from generate_series(1, ${devicesAtOnce}::int) n
        returning device_no),
      held as (
        insert into assignment_spans (device_no, agent_no, location_no, from_us, to_us, rotation_index, rotation_size,
          retries_locally, run_immediately)
        select device_no, ${agentNo}, ${locationNo}, 1, (extract(epoch from now()) * 1e6)::bigint, 0, 1, true, false from made),
      watched as (
        insert into coverage (agent_no, from_us, to_us) values (${agentNo}, 1, (extract(epoch from now()) * 1e6)::bigint)
        on conflict do nothing)
      insert into status_intervals (device_no, from_us, status)
      select device_no, (extract(epoch from now()) * 1e6)::bigint - n * 60000000::bigint,
        case when n % 2 = 0 then 'Down' else 'Up' end
      from made, generate_series(1, ${intervals}::int) n`.execute(kysely);
  await sql`analyze devices, status_intervals, assignment_spans`.execute(kysely);
}
