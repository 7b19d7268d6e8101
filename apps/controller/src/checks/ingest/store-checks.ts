import { dayMs, hourUs, minuteUs } from '@vantage/domain';
import { Fault } from '@vantage/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import {
  bigintArray,
  type Db,
  intArray,
  type LockedDevice,
  pipelined,
  type Tables,
} from '../../platform/db/index.ts';
import { notPacked } from '../../platform/db/packed/index.ts';
import { createFactsNumbering } from './check-facts.ts';
import { addPendingDiagnostics } from './diagnostics.ts';
import { createBaselines, type PastHistograms, perfOf } from './perf-stat.ts';
import type { ParsedResult } from './record.ts';
import { type CheckRow, insertChecks, perf, toRow, withIds } from './rows.ts';

/** An accepted result and the Location from which its check ran. */
interface LocatedResult {
  readonly result: ParsedResult;
  readonly locationNo: number;
}

/** The batch of the results. */
interface About {
  readonly sender: { readonly agentNo: number; readonly accountNo: number };
  readonly nowUs: number;
  readonly devices: ReadonlyMap<number, Pick<LockedDevice, 'method'>>;
}

/** Stores accepted results of one agent and folds them, under the devices' locks. Each function returns what is new. */
interface CheckStore {
  store(trx: Transaction<Tables>, located: readonly LocatedResult[], about: About): Promise<CheckRow[]>;
  /**
   * Holds them on the coordinator. The history is not asked, because a worker is away. What needs it is done when they
   * are drained: PerfStat by the device's own past, sums by account.
   */
  hold(trx: Transaction<Tables>, located: readonly LocatedResult[], about: About): Promise<CheckRow[]>;
  /** Stores held checks, which are folded already. */
  drain(trx: Transaction<Tables>, held: readonly CheckRow[], about: About): Promise<CheckRow[]>;
}

/** The roll-up of an hour begins at least twice this after its end. */
const rollUpGraceUs = minuteUs;

/** The functions of other steps that storing calls. */
export interface CheckStoreDeps {
  readonly db: Db;
  readonly fold: Fold;
  readonly runRequests: MarksAnswered;
  readonly rollUps: { readonly pastHistograms: PastHistograms };
}

/** Creates the functions; they share caches of facts and past latencies. */
export function createCheckStore({ db, fold, runRequests, rollUps }: CheckStoreDeps): CheckStore {
  const baselines = createBaselines(rollUps.pastHistograms);
  const numberFacts = createFactsNumbering(() => db.pool.opened);
  const insert = async (trx: Transaction<Tables>, rows: readonly CheckRow[], nowUs: number) =>
    insertChecks(trx, await notPacked(trx, rows, nowUs), numberFacts);

  return {
    async store(trx, located, { sender, nowUs, devices }) {
      const limits = await baselines.limits(trx, located);
      const rows = located.map(({ result, locationNo }, i) =>
        toRow(result, { agentNo: sender.agentNo, locationNo }, perfOf(result, limits[i]), nowUs),
      );
      const inserted = await insert(trx, rows, nowUs);
      if (inserted.length > 0)
        await pipelined(trx, (pipe) => [
          addCheckCounts(pipe, sender, inserted, devices),
          runRequests.markAnswered(pipe, withIds(inserted), nowUs),
          addPendingDiagnostics(pipe, sender.agentNo, inserted),
          fold(pipe, inserted, nowUs),
        ]);
      return inserted;
    },
    async hold(trx, located, { sender, nowUs }) {
      const rows = located.map(({ result, locationNo }) =>
        toRow(result, { agentNo: sender.agentNo, locationNo }, perfOf(result, undefined), nowUs),
      );
      const held = await holdChecks(trx, rows);
      if (held.length > 0)
        await pipelined(trx, (pipe) => [
          runRequests.markAnswered(pipe, withIds(held), nowUs),
          addPendingDiagnostics(pipe, sender.agentNo, held, 'held'),
          fold(pipe, held, nowUs, 'held'),
        ]);
      return held;
    },
    async drain(trx, held, { sender, nowUs, devices }) {
      const limits = await baselines.limits(trx, held.map(asResult));
      const rows = held.map((row, i) => ({ ...row, perf: perfAgain(row, limits[i]) }));
      const inserted = await insert(trx, rows, nowUs);
      await addCheckCounts(trx, sender, inserted, devices);
      await fold(trx, rows, nowUs, 'drained');
      return inserted;
    },
  };
}

/** The most bytes of held checks; then results wait in the agents' outboxes. */
const mostHeldBytes = 4 * 1024 ** 3;

/**
 * Of these checks or diagnostics those that are held, and those that are stored now. While a worker is away all are
 * held. A device with held checks has its later ones held too, so that its checks are stored in the order in which they
 * were folded. Pure.
 */
export function splitHeld<T>(
  items: readonly T[],
  deviceOf: (item: T) => number,
  { isAway, held }: { readonly isAway: boolean; readonly held: ReadonlySet<number> },
): { readonly toHold: readonly T[]; readonly toStore: readonly T[] } {
  if (isAway) return { toHold: items, toStore: [] };
  if (held.size === 0) return { toHold: [], toStore: items };
  const { toHold = [], toStore = [] } = Object.groupBy(items, (item) =>
    held.has(deviceOf(item)) ? 'toHold' : 'toStore',
  );
  return { toHold, toStore };
}

/**
 * Holds checks on the coordinator and returns those that were not held before. The devices' locks are held. Throws a
 * Fault when there is no room.
 */
async function holdChecks(trx: Kysely<Tables>, rows: readonly CheckRow[]): Promise<CheckRow[]> {
  if (rows.length === 0) return [];
  const { rows: sizes } = await sql<{
    bytes: number;
  }>`select pg_total_relation_size('held_checks')::bigint as bytes`.execute(trx);
  if ((sizes[0]?.bytes ?? 0) > mostHeldBytes)
    throw new Fault('retry', 'held_checks_full', 'a worker is away, and the coordinator holds all it may');
  const { rows: fresh } = await sql<Pick<CheckRow, 'device_no' | 'start_us' | 'agent_no'>>`
    insert into held_checks (device_no, start_us, agent_no, stored)
    select g.device_no, g.start_us, g.agent_no, g.stored::jsonb
    from unnest(${intArray(rows.map((row) => row.device_no))}::int[], ${bigintArray(rows.map((row) => row.start_us))}::bigint[],
      ${intArray(rows.map((row) => row.agent_no))}::int[], ${rows.map((row) => JSON.stringify(row))}::text[])
      as g (device_no, start_us, agent_no, stored)
    on conflict do nothing returning device_no, start_us, agent_no`.execute(trx);
  const isFresh = new Set(fresh.map(keyOf));
  return rows.filter((row) => isFresh.delete(keyOf(row)));
}

function keyOf({ device_no, start_us, agent_no }: Pick<CheckRow, 'device_no' | 'start_us' | 'agent_no'>) {
  return `${device_no}/${start_us}/${agent_no}`;
}

/** The begins of hours that are rolled up already and have these checks. */
export function lateHours(rows: readonly CheckRow[], nowUs: number): number[] {
  return rows
    .map((row) => row.start_us - (row.start_us % hourUs))
    .filter((bucket) => bucket + hourUs + rollUpGraceUs < nowUs);
}

function asResult({ device_no, location_no, start_us, end_us, code }: CheckRow) {
  return { locationNo: location_no, result: { deviceNo: device_no, startUs: start_us, endUs: end_us, code } };
}

/** `PerfStat` of a held check, which did not know its device's past. */
function perfAgain(row: CheckRow, limitMs: number | undefined): number {
  return perfOf({ ...asResult(row).result, slow: row.perf === perf.slow }, limitMs);
}

/**
 * Adds new checks to the sums of their account, by agent, Location, Method and ResultCode. `devices` are those that
 * exist, by their numbers. One statement. Rows are written in the order of their key, so that two transactions never
 * wait for each other.
 */
async function addCheckCounts(
  trx: Kysely<Tables>,
  sender: { readonly accountNo: number; readonly agentNo: number },
  rows: readonly CheckRow[],
  devices: ReadonlyMap<number, Pick<LockedDevice, 'method'>>,
): Promise<void> {
  const sums = [...sumsOf(rows, devices)];
  if (sums.length === 0) return;
  const { accountNo, agentNo } = sender;
  await sql`
    insert into check_counts as c (account_no, location_no, agent_no, method, code, checks, duration_ms)
    select ${accountNo}::int, g.location_no, ${agentNo}::int, g.method, g.code, g.checks, g.ms
    from unnest(${sums.map((sum) => sum.locationNo)}::int[], ${sums.map((sum) => sum.method)}::text[],
      ${sums.map((sum) => sum.code)}::smallint[], ${sums.map((sum) => sum.checks)}::bigint[],
      ${sums.map((sum) => sum.ms)}::double precision[])
      as g (location_no, method, code, checks, ms)
    order by g.location_no, g.method, g.code
    on conflict (account_no, location_no, agent_no, method, code) do update
      set checks = c.checks + excluded.checks, duration_ms = c.duration_ms + excluded.duration_ms`.execute(
    trx,
  );
}

interface CheckSum {
  readonly locationNo: number;
  readonly method: string;
  readonly code: number;
  checks: number;
  ms: number;
}

function sumsOf(
  rows: readonly CheckRow[],
  devices: ReadonlyMap<number, Pick<LockedDevice, 'method'>>,
): Iterable<CheckSum> {
  const sums = new Map<string, CheckSum>();
  let last: CheckSum | undefined;
  for (const row of rows) {
    const method = devices.get(row.device_no)?.method;
    if (method === undefined) continue;
    const { location_no: locationNo, code } = row;
    if (last?.locationNo !== locationNo || last.code !== code || last.method !== method) {
      const key = `${locationNo} ${code} ${method}`;
      last = sums.get(key) ?? { locationNo, method, code, checks: 0, ms: 0 };
      sums.set(key, last);
    }
    last.checks += 1;
    last.ms += requestMs(row);
  }
  return sums.values();
}

/** No check takes a day. A longer time comes from a broken agent, and must not spoil the sum. */
const longestMs = dayMs;

/** `RequestTime`: the sum of the phases. */
function requestMs(row: CheckRow): number {
  const ms = row.dns_ms + row.connect_ms + row.ssl_ms + row.ttfb_ms + row.ttlb_ms;
  return ms > 0 ? Math.min(ms, longestMs) : 0;
}

/**
 * Turns newly inserted results into transitions and events, in the same transaction. `extended` is JSON text here. The
 * devices' locks are held. `held`: the rows are held on the coordinator, and the history of their devices may be away;
 * `drained`: they were folded as held ones, and are stored now.
 */
export type Fold = (
  trx: Transaction<Tables>,
  rows: readonly CheckRow[],
  nowUs: number,
  how?: 'stored' | 'held' | 'drained',
) => Promise<void>;

/** The function of the run requests that storing checks calls. */
export interface MarksAnswered {
  /** Answers run requests with the checks that name them. */
  markAnswered(
    trx: Transaction<Tables>,
    checks: readonly (CheckRow & { readonly check_id: string })[],
    nowUs: number,
  ): Promise<void>;
}
