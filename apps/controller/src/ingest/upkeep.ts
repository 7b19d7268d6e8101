import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { sql } from 'kysely';
import { type Db, releaseLeases, takeLeases } from '../db/index.ts';
import { dropWaiting } from './evidence.ts';
import type { Partitions } from './partitions.ts';
import type { RollUp } from './rollup.ts';

/** What stored data need from time to time. */
export interface Upkeep {
  /** Goes on until the signal aborts; one controller at a time does the work. */
  run(signal: AbortSignal): Promise<void>;
}

const everyMs = 30_000;
const partitionsEveryMs = 3_600_000;
const leaseMs = 120_000;
const dayUs = 86_400_000_000;
const mostSetAside = 100_000;
/** An agent keeps what it could not deliver for a week; evidence waits a day longer for its result. */
const waitingUs = 8 * dayUs;

/** Makes the loop that keeps partitions, roll-ups and retention. Partitions are made before the first result is taken: see `ensure`. */
export function createUpkeep({
  db,
  clock,
  log,
  partitions,
  rollUp,
  retentionDays,
  holder,
  trim = async () => {},
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly partitions: Partitions;
  readonly rollUp: RollUp;
  readonly retentionDays: number;
  /** This controller's id. */
  readonly holder: string;
  /** Lets another step drop what is older than the checks that are kept (`beforeUs`). */
  readonly trim?: (kysely: Db['kysely'], beforeUs: number) => Promise<void>;
}): Upkeep {
  let partitionsAtMs = Number.NEGATIVE_INFINITY;
  let isWell = true;

  const turn = async () => {
    const [lease] = await takeLeases(db.kysely, ['upkeep'], holder, leaseMs);
    if (!lease) return;
    if (clock.monoMs() - partitionsAtMs >= partitionsEveryMs) {
      await partitions.ensure();
      await partitions.drop();
      await prune(db, clock.nowUs(), retentionDays);
      await trim(db.kysely, clock.nowUs() - retentionDays * dayUs);
      partitionsAtMs = clock.monoMs();
    }
    await rollUp.run();
  };

  return {
    async run(signal) {
      while (!signal.aborted) {
        try {
          await turn();
          if (!isWell) log.info('upkeep works again');
          isWell = true;
        } catch (error) {
          if (isWell) log.warn({ error: messageOf(error) }, 'upkeep of stored data failed; trying again');
          isWell = false;
        }
        await clock.sleep(everyMs, signal).catch(() => {});
      }
      await releaseLeases(db.kysely, holder, 'upkeep').catch(() => {});
    },
  };
}

async function prune(db: Db, nowUs: number, retentionDays: number): Promise<void> {
  const oldestUs = nowUs - retentionDays * dayUs;
  await sql`delete from set_aside where received_us < ${nowUs - 30 * dayUs}
    or set_aside_no <= (select max(set_aside_no) from set_aside) - ${mostSetAside}`.execute(db.kysely);
  await sql`delete from orders where state <> 'Open' and created_us < ${nowUs - dayUs}`.execute(db.kysely);
  await dropWaiting(db.kysely, nowUs - waitingUs);
  await sql`delete from clock_records where at_us < ${oldestUs}`.execute(db.kysely);
  await sql`delete from controllers where last_seen_us < ${nowUs - dayUs}`.execute(db.kysely);
}
