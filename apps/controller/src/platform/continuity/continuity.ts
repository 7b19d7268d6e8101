import { minuteUs } from '@vantage/domain';
import { type Clock, createJobParts, type Logger, newId } from '@vantage/kernel';
import type { Db } from '../db/index.ts';
import { decideHistory } from './decide-history.ts';
import {
  beginEpoch,
  type LostSpan,
  newestMarkUs,
  numbersTaken,
  type Remembered,
  readEpochs,
  readRemembered,
  remember,
  skipNumbers,
  writeMark,
} from './store.ts';

/** An epoch that the database knows, with its last mark; see the wire's KnownEpoch. */
interface KnownEpoch {
  readonly epochId: string;
  readonly mark: number;
  readonly isWhole: boolean;
}

/**
 * Notices that the database went back: a restore, a failover to a replica that was behind
 * (docs/adr/0019-database-history.md).
 */
export interface Continuity {
  /** A commit that ends now is in a database that has this epoch with this mark. */
  position(): { readonly epochId: string; readonly mark: number };
  /** Returns those of these epochs that the database knows. */
  known(epochIds: readonly string[]): Promise<readonly KnownEpoch[]>;
  /** The last time that the database went back, of all runs of the controller that remember it. */
  readonly wentBack: LostSpan | undefined;
  /** Sets the one listener, which is called when the database may lack commits. */
  onDoubt(listener: () => void): void;
  /** Compares the database with what this controller remembers, and begins an epoch. */
  start(): Promise<void>;
  /**
   * Looks every 2 s, until the signal aborts, whether the database went back. Writes a mark where something was stored
   * since the last one, and once a minute.
   */
  run(signal: AbortSignal): Promise<void>;
}

const everyMs = 2_000;
/** Without anything new a mark is written so often. Each one flushes the disks of the database and the controller. */
const idleUs = minuteUs;

/** `file` has the last mark for the next run of the controller. */
export function createContinuity({
  db: { kysely },
  clock,
  log,
  file,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly file: string;
}): Continuity {
  let present: Remembered = { epochId: '', mark: 0, markedUs: 0 };
  /** The highest mark whose writing began. It may be in the database before its answer is here. */
  let begunMark = 0;
  /** The highest mark that a position named. */
  let namedMark = 0;
  let numbersAtMark = 0;
  let wentBack: LostSpan | undefined;
  let onDoubt = () => {};
  const parts = createJobParts({
    log,
    failed: 'the marks of the database cannot be written; trying again',
    recovered: 'the marks of the database are written again',
  });
  const begin = async () => {
    const next = { epochId: newId(), mark: 0, markedUs: clock.nowUs(), wentBack };
    await beginEpoch(kysely, next.epochId, next.markedUs);
    present = next;
    begunMark = 0;
    namedMark = 0;
    await remember(file, present);
  };
  /** Compares; what the database says is read before anything is written to it. */
  const compare = async (remembered: Remembered) => {
    const found = (await readEpochs(kysely, [remembered.epochId])).get(remembered.epochId);
    const verdict = decideHistory(remembered, found);
    if (verdict !== 'back') return verdict;
    const toUs = found?.markedUs ?? (await newestMarkUs(kysely));
    wentBack = { fromUs: remembered.markedUs, toUs, seenUs: clock.nowUs() };
    log.error(
      { from: isoTime(remembered.markedUs), to: toUs === null ? 'unknown' : isoTime(toUs) },
      'the database went back: what was stored between these times is lost, besides what agents send again',
    );
    return verdict;
  };
  const doubt = async () => {
    const verdict = await compare(present);
    if (verdict === 'same') return;
    await skipNumbers(kysely);
    await begin();
    if (verdict === 'restarted')
      log.info({}, 'another run of the database server: agents send again what it may lack');
    onDoubt();
  };
  const tick = async () => {
    const next = { ...present, mark: present.mark + 1, markedUs: clock.nowUs() };
    const numbers = await numbersTaken(kysely);
    const isIdle = next.markedUs - present.markedUs < idleUs && next.markedUs >= present.markedUs;
    if (isIdle && namedMark <= present.mark && numbers === numbersAtMark) return doubt();
    begunMark = next.mark;
    if (!(await writeMark(kysely, { ...next, nowUs: next.markedUs }))) return doubt();
    present = next;
    numbersAtMark = numbers;
    await remember(file, present);
  };
  return {
    position() {
      namedMark = Math.max(present.mark, begunMark) + 1;
      return { epochId: present.epochId, mark: namedMark };
    },
    async known(epochIds) {
      const found = await readEpochs(kysely, epochIds);
      return epochIds.map((epochId) => {
        const epoch = found.get(epochId);
        return { epochId, mark: epoch?.mark ?? 0, isWhole: epoch?.isPresentServer ?? false };
      });
    },
    get wentBack() {
      return wentBack;
    },
    onDoubt(listener) {
      onDoubt = listener;
    },
    async start() {
      const remembered = await readRemembered(file);
      wentBack = remembered?.wentBack;
      if (remembered !== undefined && (await compare(remembered)) === 'back') await skipNumbers(kysely);
      await begin();
    },
    async run(signal) {
      while (!signal.aborted) {
        await parts.attempt('mark', tick);
        await clock.sleep(everyMs, signal).catch(() => {});
      }
      await parts.attempt('mark', tick);
    },
  };
}

function isoTime(us: number): string {
  return new Date(us / 1000).toISOString();
}
