import { isDeepStrictEqual } from 'node:util';
import { dayUs } from '@vantage/domain';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { type Db, dbFailure, lockDevices, lockSums, startOfDay, type Tables } from '@vantage/storage';
import {
  askPacked,
  maxPackedChecks,
  mergeChecks,
  type PackedCheck,
  type PackedDay,
  packDay,
  packedDigest,
  rowColumns,
  storedPackedChecks,
  unpackDay,
} from '@vantage/storage/packed';
import { type Kysely, sql } from 'kysely';
import { compactDays } from './compact-days.ts';
import { isPlain, maxInCall, nextDevice, notePackedDay } from './packed-days-store.ts';

/** Packs old days. */
export interface DayPacker {
  /**
   * Packs the days that are old enough, a device and day in each transaction. Returns false when work is left for the
   * next call. Checks that arrived for a day after it was packed are added to it. A day with an hour that waits to be
   * rolled up waits, too: the sums of a packed day are right, and only a check that comes later changes them. Rejects
   * while the server of packed days does not answer.
   */
  run(): Promise<boolean>;
}

/** Whether all hours of a span are rolled up, and none waits to be rolled up again. */
type IsRolledUp = (
  kysely: Kysely<Tables>,
  span: { readonly fromUs: number; readonly toUs: number },
) => Promise<boolean>;

/** Creates the packer. A day is packed `afterDays` days after its end. */
export function createDayPacker({
  db: { kysely },
  clock,
  log,
  afterDays,
  retentionDays,
  isRolledUp,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly afterDays: number;
  readonly retentionDays: number;
  readonly isRolledUp: IsRolledUp;
}): DayPacker {
  let packed = 0;
  /** The position at which the last call ended. */
  let position: { readonly dayUs: number; readonly deviceNo: number } | undefined;

  const tryDevice = async (deviceNo: number, beginUs: number): Promise<Packing> => {
    const done = await kysely
      .transaction()
      .execute((trx) => packDevice(trx, { deviceNo, beginUs, isRolledUp }))
      .catch((error: unknown): Packing => {
        if (error instanceof PackingUndone) return error.packing;
        if (dbFailure(error) === 'retry') throw error;
        return { kind: 'refused', reason: messageOf(error) };
      });
    if (done.kind === 'refused')
      log.warn(
        { deviceNo, day: isoDay(beginUs), reason: done.reason },
        'a day of a device cannot be packed; its checks stay rows',
      );
    return done;
  };

  /** Packs the devices of a day until all are packed, the day waits, or the call has done enough. */
  const packDevices = async (beginUs: number): Promise<'all' | 'waits' | 'enough'> => {
    let deviceNo = position?.dayUs === beginUs ? position.deviceNo : 0;
    for (;;) {
      const next = await nextDevice(kysely, beginUs, deviceNo);
      if (next === undefined) return 'all';
      if (packed >= maxInCall) {
        position = { dayUs: beginUs, deviceNo };
        return 'enough';
      }
      if ((await tryDevice(next, beginUs)).kind === 'waits') return 'waits';
      packed += 1;
      deviceNo = next;
    }
  };

  return {
    async run() {
      packed = 0;
      const nowUs = clock.nowUs();
      const untilUs = nowUs - afterDays * dayUs;
      const firstUs = Math.max(startOfDay(nowUs - retentionDays * dayUs), position?.dayUs ?? 0);
      const waiting = new Set<number>();
      for (let beginUs = firstUs; beginUs + dayUs <= untilUs; beginUs += dayUs) {
        const done = await packDevices(beginUs);
        if (done === 'enough') return false;
        if (done === 'waits') waiting.add(beginUs);
      }
      position = undefined;
      await compactDays(kysely, log, waiting);
      return waiting.size === 0;
    },
  };
}

function isoDay(us: number): string {
  return new Date(us / 1000).toISOString().slice(0, 10);
}

type Packing =
  | { readonly kind: 'packed' | 'waits' }
  /** The day stays as it is. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Rolls a packing back, with its outcome. */
class PackingUndone extends Error {
  readonly packing: Packing;

  constructor(packing: Packing) {
    super('the packing of a day is undone');
    this.packing = packing;
  }
}

/**
 * Packs a day of a device, with what was packed of it before. The packed day is written before the locks are taken, so
 * ingest and roll-ups do not wait for its server. Under the locks, the day must be rolled up and its rows the same as
 * before; otherwise all is undone, and a later call packs it. Citus commits on the server of packed days first: a crash
 * in between leaves the day packed and as rows, which readers see once, and the next call packs it again.
 */
async function packDevice(
  trx: Kysely<Tables>,
  {
    deviceNo,
    beginUs,
    isRolledUp,
  }: { readonly deviceNo: number; readonly beginUs: number; readonly isRolledUp: IsRolledUp },
): Promise<Packing> {
  const span = { fromUs: beginUs, toUs: beginUs + dayUs };
  if (!(await isThere(trx, deviceNo))) {
    await lockSums(trx);
    await lockDevices(trx, [deviceNo]);
    await deletePlain(trx, deviceNo, beginUs);
    return { kind: 'packed' };
  }
  if (!(await isRolledUp(trx, span))) return { kind: 'waits' };
  const known = await storedPackedChecks(trx, { deviceNo, ...span });
  const rows = await plainRows(trx, deviceNo, beginUs);
  const checks = mergeChecks(rows, known);
  const day = packDay(beginUs, checks);
  const [first, last] = [checks[0], checks.at(-1)];
  if (day === undefined || first === undefined || last === undefined)
    return { kind: 'refused', reason: 'too many or too large' };
  const shown = { firstUs: first.start_us, lastUs: last.start_us, lastResult: last.check_result };
  const stored = await storeDay(trx, { deviceNo, beginUs, day, ...shown });
  if (stored === undefined || !isDeepStrictEqual(unpackDay(deviceNo, beginUs, stored), checks))
    throw new Error('the stored bytes do not give the checks back');
  await lockSums(trx);
  await lockDevices(trx, [deviceNo]);
  if (!(await isRolledUp(trx, span))) throw new PackingUndone({ kind: 'waits' });
  if (!isDeepStrictEqual(await plainRows(trx, deviceNo, beginUs), rows))
    throw new PackingUndone({ kind: 'packed' });
  // Where the device is deleted meanwhile, the row without its device lets housekeeping delete the day.
  await notePackedDay(trx, { deviceNo, ...shown });
  const deleted = await deletePlain(trx, deviceNo, beginUs);
  if (!isDeepStrictEqual(deleted, rows.map(keyOf).sort()))
    throw new Error('other rows were deleted than packed');
  return { kind: 'packed' };
}

async function isThere(trx: Kysely<Tables>, deviceNo: number): Promise<boolean> {
  const { rows } = await sql`select 1 from devices where device_no = ${deviceNo}::int`.execute(trx);
  return rows.length > 0;
}

/** The rows of a device's day that are to be packed. */
async function plainRows(trx: Kysely<Tables>, deviceNo: number, beginUs: number): Promise<PackedCheck[]> {
  const { rows } = await sql<PackedCheck>`
    select ${rowColumns} from checks where ${isOfDay(deviceNo, beginUs)} and ${isPlain}
    order by start_us, agent_no limit ${maxPackedChecks + 1}`.execute(trx);
  return rows;
}

/** Stores a packed day, and returns it as the database has it. */
async function storeDay(
  trx: Kysely<Tables>,
  {
    deviceNo,
    beginUs,
    day,
    firstUs,
    lastUs,
    lastResult,
  }: {
    readonly deviceNo: number;
    readonly beginUs: number;
    readonly day: PackedDay;
    readonly firstUs: number;
    readonly lastUs: number;
    readonly lastResult: string;
  },
): Promise<PackedDay | undefined> {
  const { rows } = await askPacked(() =>
    sql<PackedDay>`
      insert into packed_checks (device_no, day_us, checks, first_us, last_us, last_result, marks, facts, digest)
      values (${deviceNo}, ${beginUs}, ${day.checks}, ${firstUs}, ${lastUs}, ${lastResult}, ${day.keys}, ${day.facts},
        ${packedDigest(day)})
      on conflict (device_no, day_us) do update set (checks, first_us, last_us, last_result, marks, facts, digest) =
        (excluded.checks, excluded.first_us, excluded.last_us, excluded.last_result, excluded.marks, excluded.facts, excluded.digest)
      returning checks, marks as keys, facts`.execute(trx),
  );
  return rows[0];
}

/**
 * Deletes the rows that are packed, and marks the day: its partition still has their space. Returns the sorted keys of
 * the deleted rows.
 */
async function deletePlain(trx: Kysely<Tables>, deviceNo: number, beginUs: number): Promise<string[]> {
  const { rows } = await sql<Pick<PackedCheck, 'start_us' | 'agent_no'>>`
    delete from check_rows where ${isOfDay(deviceNo, beginUs)} and ${isPlain} returning start_us, agent_no`.execute(
    trx,
  );
  await sql`insert into days_to_compact (day_us) values (${beginUs}) on conflict do nothing`.execute(trx);
  return rows.map(keyOf).sort();
}

function keyOf({ start_us, agent_no }: Pick<PackedCheck, 'start_us' | 'agent_no'>): string {
  return `${start_us}/${agent_no}`;
}

function isOfDay(deviceNo: number, beginUs: number) {
  return sql<boolean>`(device_no = ${deviceNo}::int and start_us >= ${sql.lit(beginUs)} and start_us < ${sql.lit(beginUs + dayUs)})`;
}
