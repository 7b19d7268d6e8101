import { dayUs, hourUs } from '@vantage/domain';
import type { Clock, Logger } from '@vantage/kernel';
import { bisectBatch, type Db, type FailedItem, lockSums, quarantine, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { addEndedHours, beginDirtyHour, endHour, readRetired, unfinishedHours } from './progress.ts';
import { rollDay, rollHour } from './write-sums.ts';

/** An hour is rolled up this long after its end, when all results that arrived in time are committed. */
const settleUs = 120_000_000;
const chunkDevices = 2_000;

/** Hourly and daily sums of checks. */
export interface RollUp {
  /**
   * Rolls up the hours that ended and the hours that late results changed. Returns the number of hours. When an hour
   * fails, the others are done first, then the promise rejects. Only one call may run at a time.
   */
  run(): Promise<number>;
}

function startOfHour(us: number): number {
  return us - (us % hourUs);
}

/** The begins of the hours from `cursorUs` on that ended at least `settleUs` before `nowUs`. Pure. */
export function hoursDue(cursorUs: number, nowUs: number): number[] {
  const until = startOfHour(nowUs - settleUs);
  const count = Math.max(0, (until - cursorUs) / hourUs);
  return Array.from({ length: count }, (_, i) => cursorUs + i * hourUs);
}

/** Creates the roll-up. */
export function createRollUp({
  db,
  clock,
  log,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
}): RollUp {
  const kysely = db.kysely;

  const rollDevices = (bucket: number, deviceNos: readonly number[]) =>
    kysely.transaction().execute(async (trx) => {
      await sql`set local statement_timeout = '60s'`.execute(trx);
      await lockSums(trx);
      // The checks of these hours are deleted, all or some of them: the sums are final.
      if (bucket < ((await readRetired(trx)) ?? 0)) return;
      await rollHour(trx, bucket, deviceNos);
      await rollDay(trx, bucket - (bucket % dayUs), deviceNos);
    });

  /** The hour of a device that cannot be rolled up is quarantined with the reason. The other devices are rolled up. */
  const doHour = async (bucket: number) => {
    const devices = await allDevices(kysely);
    const refused: FailedItem<string>[] = [];
    for (let at = 0; at < devices.length; at += chunkDevices) {
      const failed = await bisectBatch(devices.slice(at, at + chunkDevices), (some) =>
        rollDevices(bucket, some),
      );
      refused.push(
        ...failed.map(({ item, error }) => ({ item: `device ${item}, hour ${isoOf(bucket)}`, error })),
      );
    }
    await quarantine(kysely, refused, { job: 'roll-up', nowUs: clock.nowUs(), log });
    await endHour(kysely, bucket);
  };

  return {
    async run() {
      const nowUs = clock.nowUs();
      const failed: unknown[] = [];
      /** An hour that fails stays in work until the next run; the other hours do not wait for it. */
      const attempt = async (bucket: number) => {
        try {
          await doHour(bucket);
          return 1;
        } catch (error) {
          failed.push(error);
          return 0;
        }
      };
      for (const bucket of await unfinishedHours(kysely)) await attempt(bucket);
      await addEnded(kysely, nowUs);
      const nextHour = () => beginDirtyHour(kysely);
      let done = 0;
      for (let bucket = await nextHour(); bucket !== undefined; bucket = await nextHour())
        done += await attempt(bucket);
      if (done > 0) log.debug({ hours: done }, 'rolled up');
      if (failed.length > 0) throw failed[0];
      return done;
    },
  };
}

function isoOf(us: number): string {
  return new Date(us / 1000).toISOString();
}

/** Marks the hours that ended. A position that is later was stored by a clock that was ahead. */
async function addEnded(kysely: Kysely<Tables>, nowUs: number): Promise<void> {
  await addEndedHours(
    kysely,
    async (trx) => (await firstHour(trx)) ?? nowUs - (nowUs % hourUs),
    (storedUs) => {
      const fromUs = Math.min(storedUs, startOfHour(nowUs - settleUs));
      const hours = hoursDue(fromUs, nowUs);
      return { hours, toUs: fromUs + hours.length * hourUs };
    },
  );
}

async function firstHour(db: Kysely<Tables>): Promise<number | undefined> {
  const { rows } = await sql<{ first: number | null }>`select min(start_us) as first from checks`.execute(db);
  const first = rows[0]?.first;
  return first === null || first === undefined ? undefined : first - (first % hourUs);
}

/**
 * All devices, because finding each device's checks by the key is cheaper than reading the partition of a whole day.
 */
async function allDevices(db: Kysely<Tables>): Promise<number[]> {
  const rows = await db.selectFrom('devices').select('device_no').orderBy('device_no').execute();
  return rows.map((row) => row.device_no);
}
