import type { HeartbeatState } from '@vantage/health';
import { declareShare } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { LogEntry } from './heartbeat-results.ts';
import type { HeartbeatDevice } from './heartbeat-settings.ts';
import { readStoredState } from './stored-state.ts';

declareShare({
  name: 'heartbeats_that_are_due',
  limit: '500 in a round',
  filledBy: 'accounts',
  share: 'accounts take turns',
});

/** A token that exists, and its device. */
export interface KnownToken {
  readonly deviceNo: number;
  readonly accountNo: number;
}

/** The devices of these SHA-256 of tokens, by the hash in hex. */
export async function devicesOfTokens(
  db: Kysely<Tables>,
  hashes: readonly Buffer[],
): Promise<ReadonlyMap<string, KnownToken>> {
  const { rows } = await sql<KnownToken & { hash: string }>`
    select encode(p.token_hash, 'hex') as hash, p.device_no as "deviceNo", d.account_no as "accountNo"
    from push_devices p join devices d using (device_no) where p.token_hash = any(${hashes}::bytea[])`.execute(
    db,
  );
  return new Map(rows.map(({ hash, ...token }) => [hash, token]));
}

/** Stores the tokens of new devices. */
export async function insertTokens(
  trx: Kysely<Tables>,
  devices: readonly { readonly deviceNo: number; readonly tokenHash: Buffer }[],
): Promise<void> {
  if (devices.length === 0) return;
  await sql`
    insert into push_devices (device_no, token_hash)
    select * from unnest(${devices.map(({ deviceNo }) => deviceNo)}::int[], ${devices.map(({ tokenHash }) => tokenHash)}::bytea[])`.execute(
    trx,
  );
}

/** Replaces the token of a device; false: the device is none of the Method Push. */
export async function replaceToken(
  trx: Kysely<Tables>,
  deviceNo: number,
  tokenHash: Buffer,
): Promise<boolean> {
  const { rows } = await sql`
    insert into push_devices (device_no, token_hash)
    select device_no, ${tokenHash}::bytea from devices where device_no = ${deviceNo} and method = 'Push'
    on conflict (device_no) do update set token_hash = excluded.token_hash returning device_no`.execute(trx);
  return rows.length > 0;
}

/** A Push device with its stored state; null: nothing was computed yet. */
export type StoredHeartbeat = HeartbeatDevice & { readonly state: HeartbeatState | null };

/** The Push devices of these numbers. For a change of their states the caller holds their locks. */
export async function readHeartbeats(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, StoredHeartbeat>> {
  if (deviceNos.length === 0) return new Map();
  const { rows } = await sql<Omit<StoredHeartbeat, 'state'> & { state: unknown }>`
    select d.device_no as "deviceNo", d.account_no as "accountNo", d.created_us as "createdUs", d.revision,
      d.enabled as "isEnabled", d.frequency_min as "frequencyMin", d.frequency_s as "frequencyS", d.options,
      a.timezone as zone, p.state
    from push_devices p join devices d using (device_no) join accounts a using (account_no)
    where p.device_no = any(${[...deviceNos]}::int[])`.execute(db);
  return new Map(rows.map((row) => [row.deviceNo, { ...row, state: readStoredState(row.state) }]));
}

/** A state as it is written. */
export interface NextHeartbeat {
  readonly deviceNo: number;
  readonly revision: number;
  readonly state: HeartbeatState;
  /** When something may be missing; undefined: never. */
  readonly judgeUs: number | undefined;
}

export async function writeHeartbeats(trx: Kysely<Tables>, next: readonly NextHeartbeat[]): Promise<void> {
  if (next.length === 0) return;
  await sql`
    update push_devices p set settings_revision = g.revision, state = g.state, at_us = (g.state ->> 'atUs')::bigint, judge_us = g.judge_us
    from unnest(${next.map(({ deviceNo }) => deviceNo)}::int[], ${next.map(({ revision }) => revision)}::int[],
      ${next.map(({ state }) => JSON.stringify(state))}::jsonb[], ${next.map(({ judgeUs }) => judgeUs ?? null)}::bigint[])
      as g (device_no, revision, state, judge_us)
    where p.device_no = g.device_no`.execute(trx);
}

/**
 * Devices for which something may be missing before `toUs`, and devices whose settings changed since their state was
 * computed. Accounts take turns. `aheadUs`: also those whose state is from after this moment, by a clock that was
 * ahead.
 */
export async function dueHeartbeats(
  db: Kysely<Tables>,
  { toUs, aheadUs }: { readonly toUs: number; readonly aheadUs: number | null },
  limit: number,
): Promise<readonly KnownToken[]> {
  const { rows } = await sql<KnownToken>`
    select "deviceNo", "accountNo" from (
      select p.device_no as "deviceNo", d.account_no as "accountNo",
        row_number() over (partition by d.account_no order by p.judge_us nulls first, p.device_no) as turn
      from push_devices p join devices d using (device_no)
      where p.judge_us < ${toUs}::bigint or p.settings_revision <> d.revision or p.at_us > ${aheadUs}::bigint) due
    order by turn, "deviceNo" limit ${limit}`.execute(db);
  return rows;
}

/** Judges these devices again at this moment, and not before. */
export async function postponeHeartbeats(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  atUs: number,
): Promise<void> {
  if (deviceNos.length === 0) return;
  await sql`
    update push_devices p set judge_us = ${atUs}::bigint, settings_revision = d.revision, at_us = null
    from devices d where d.device_no = p.device_no and p.device_no = any(${deviceNos}::int[])`.execute(db);
}

/** A run of a device. */
export interface RunOfDevice {
  readonly deviceNo: number;
  readonly runId: string;
}

/** The texts of the calls of a run. At most `maxLogEntries` of a run are kept, the last ones. */
export async function addLogs(trx: Kysely<Tables>, logs: readonly (RunOfDevice & LogEntry)[]): Promise<void> {
  if (logs.length === 0) return;
  await sql`
    insert into push_logs (device_no, run_id, at_us, kind, body)
    select g.* from push_devices join unnest(${logs.map(({ deviceNo }) => deviceNo)}::int[], ${logs.map(({ runId }) => runId)}::text[],
      ${logs.map(({ atUs }) => atUs)}::bigint[], ${logs.map(({ kind }) => kind)}::text[], ${logs.map(({ body }) => body)}::text[])
      as g (device_no, run_id, at_us, kind, body) using (device_no)`.execute(trx);
  await sql`
    delete from push_logs where log_no in (
      select log_no from (
        select log_no, row_number() over (partition by device_no, run_id order by log_no desc) as place,
          dense_rank() over (partition by device_no order by run_id) as run
        from push_logs where device_no = any(${logs.map(({ deviceNo }) => deviceNo)}::int[])) ranked
      where place > ${maxLogEntries} or run > ${maxLoggedRuns})`.execute(trx);
}

const maxLogEntries = 20;
const maxLoggedRuns = 100;

/** Takes what calls of these runs said, by `deviceNo/runId`, in order. */
export async function takeLogs(
  trx: Kysely<Tables>,
  runs: readonly RunOfDevice[],
): Promise<ReadonlyMap<string, readonly LogEntry[]>> {
  if (runs.length === 0) return new Map();
  const { rows } = await sql<RunOfDevice & LogEntry & { logNo: number }>`
    delete from push_logs l
    using unnest(${runs.map(({ deviceNo }) => deviceNo)}::int[], ${runs.map(({ runId }) => runId)}::text[]) as g (device_no, run_id)
    where l.device_no = g.device_no and l.run_id = g.run_id
    returning l.log_no as "logNo", l.device_no as "deviceNo", l.run_id as "runId", l.at_us as "atUs", l.kind, l.body`.execute(
    trx,
  );
  return Map.groupBy(
    rows.toSorted((a, b) => a.logNo - b.logNo),
    (row) => runKey(row),
  );
}

export function runKey({ deviceNo, runId }: RunOfDevice): string {
  return `${deviceNo}/${runId}`;
}

/** Deletes what calls of runs said that did not end. */
export async function dropOldLogs(db: Kysely<Tables>, beforeUs: number): Promise<void> {
  await sql`delete from push_logs where at_us < ${beforeUs}::bigint`.execute(db);
}
