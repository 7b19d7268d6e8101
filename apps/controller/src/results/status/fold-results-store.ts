import { type FoldState, type Point, storable } from '@vantage/health';
import { pipelined, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { pointsTable } from './checkpoint-store.ts';

/** A device's fold result as it is written. */
export interface StoredFoldResult {
  readonly deviceNo: number;
  /** Checkpoints from here on are replaced. */
  readonly from: Point;
  readonly checkpoints: readonly FoldState[];
  /** Intervals from here on are replaced. */
  readonly intervalsFromUs: number;
  readonly intervals: readonly { readonly fromUs: number; readonly status: string }[];
  readonly state: FoldState;
}

/** Writes fold results: state, checkpoints and intervals. */
export async function writeFoldResults(
  trx: Kysely<Tables>,
  results: readonly StoredFoldResult[],
): Promise<void> {
  const starts = results.map(({ deviceNo, from }) => ({ ...from, deviceNo }));
  const checkpoints = results.flatMap(({ deviceNo, checkpoints: list }) =>
    list.flatMap((state) =>
      state.at === null ? [] : [{ deviceNo, ...state.at, json: JSON.stringify(storable(state)) }],
    ),
  );
  const intervals = results.flatMap(({ deviceNo, intervals: list }) =>
    list.map((one) => ({ deviceNo, ...one })),
  );
  await pipelined(trx, (pipe) => [
    sql`
      delete from state_checkpoints p using ${pointsTable(starts)} as f (device_no, start_us, agent_no)
      where p.device_no = f.device_no and (p.start_us, p.agent_no) >= (f.start_us, f.agent_no)`.execute(pipe),
    sql`
      insert into state_checkpoints (device_no, start_us, agent_no, state)
      select * from unnest(${checkpoints.map((p) => p.deviceNo)}::int[], ${checkpoints.map((p) => p.startUs)}::bigint[],
        ${checkpoints.map((p) => p.agentNo)}::int[], ${checkpoints.map((p) => p.json)}::jsonb[])`.execute(
      pipe,
    ),
    sql`
      delete from status_intervals i
      using unnest(${results.map((s) => s.deviceNo)}::int[], ${results.map((s) => s.intervalsFromUs)}::bigint[])
        as f (device_no, from_us)
      where i.device_no = f.device_no and i.from_us >= f.from_us`.execute(pipe),
    sql`
      insert into status_intervals (device_no, from_us, status)
      select * from unnest(${intervals.map((i) => i.deviceNo)}::int[], ${intervals.map((i) => i.fromUs)}::bigint[],
        ${intervals.map((i) => i.status)}::text[])`.execute(pipe),
    sql`
      insert into device_state (device_no, version, status, since_us, retrying, state)
      select device_no, 1, status, since_us, retrying, state from unnest(
        ${results.map((s) => s.deviceNo)}::int[], ${results.map((s) => s.state.status)}::text[],
        ${results.map((s) => s.state.sinceUs)}::bigint[], ${results.map((s) => s.state.retrySequence !== null)}::boolean[],
        ${results.map((s) => JSON.stringify(storable(s.state)))}::jsonb[]) as g (device_no, status, since_us, retrying, state)
      on conflict (device_no) do update set version = device_state.version + 1, status = excluded.status,
        since_us = excluded.since_us, retrying = excluded.retrying, state = excluded.state`.execute(pipe),
  ]);
}
