import { minuteUs } from '@vantage/domain';
import { type Clock, createJobParts, type Logger, newId } from '@vantage/kernel';
import type { Db } from '../db-access.ts';
import {
  beginEpoch,
  lastWrittenUs,
  readEpochs,
  skipNumbers,
  sumOfSequences,
  writePosition,
} from './continuity-store.ts';
import { decideHistory } from './decide-history.ts';
import { type LostSpan, type RememberedPosition, readRemembered, remember } from './remembered-position.ts';

/** An epoch that the database knows, with its last position; `mark` as in the wire's KnownEpoch. */
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
  /** A commit that ends now is in every database that has this epoch up to this position (`mark`, as on the wire). */
  position(): { readonly epochId: string; readonly mark: number };
  /** These epochs as the database knows them. */
  known(epochIds: readonly string[]): Promise<readonly KnownEpoch[]>;
  /** The last time that the database went back, also in earlier runs of the controller. */
  readonly wentBack: LostSpan | undefined;
  /** Sets the only listener, which is called when the database may lack commits. */
  onDoubt(listener: () => void): void;
  /** Compares the database with what this controller remembers, and begins an epoch. */
  start(): Promise<void>;
  /**
   * Checks every 2 s, until the signal aborts, whether the database went back. Writes the next position when something
   * was stored since the last one, and at least once a minute.
   */
  run(signal: AbortSignal): Promise<void>;
}

const everyMs = 2_000;
/** The period of writes when nothing is stored. Each write flushes the disks of the database and the controller. */
const idleUs = minuteUs;

/** `file` keeps the last position for the next run of the controller. */
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
  let present: RememberedPosition = { epochId: '', position: 0, writtenUs: 0 };
  /** The highest position whose write was sent. The database may have it before its answer arrives. */
  let sent = 0;
  /** The highest position that `position` returned. */
  let promised = 0;
  let sequencesAtWrite = 0;
  let wentBack: LostSpan | undefined;
  let onDoubt = () => {};
  const parts = createJobParts({
    log,
    failed: 'the position in the history of the database cannot be written; trying again',
    recovered: 'the position in the history of the database is written again',
  });
  const begin = async () => {
    const next = { epochId: newId(), position: 0, writtenUs: clock.nowUs(), wentBack };
    await beginEpoch(kysely, next.epochId, next.writtenUs);
    present = next;
    sent = 0;
    promised = 0;
    await remember(file, present);
  };
  /** Compares the database with a position; call it before anything is written. */
  const compare = async (remembered: RememberedPosition) => {
    const found = (await readEpochs(kysely, [remembered.epochId])).get(remembered.epochId);
    const verdict = decideHistory(remembered, found);
    if (verdict !== 'back') return verdict;
    const toUs = found?.writtenUs ?? (await lastWrittenUs(kysely));
    wentBack = { fromUs: remembered.writtenUs, toUs, seenUs: clock.nowUs() };
    log.error(
      { from: isoTime(remembered.writtenUs), to: toUs === null ? 'unknown' : isoTime(toUs) },
      'the database went back: everything stored between these times is lost, except what agents send again',
    );
    return verdict;
  };
  const doubt = async () => {
    const verdict = await compare(present);
    if (verdict === 'same') return;
    await skipNumbers(kysely);
    await begin();
    if (verdict === 'restarted')
      log.info({}, 'the database server was restarted or replaced: agents send again what it may lack');
    onDoubt();
  };
  const tick = async () => {
    const next = { ...present, position: present.position + 1, writtenUs: clock.nowUs() };
    const sequences = await sumOfSequences(kysely);
    const isIdle = next.writtenUs - present.writtenUs < idleUs && next.writtenUs >= present.writtenUs;
    if (isIdle && promised <= present.position && sequences === sequencesAtWrite) return doubt();
    sent = next.position;
    if (!(await writePosition(kysely, { ...next, nowUs: next.writtenUs }))) return doubt();
    present = next;
    sequencesAtWrite = sequences;
    await remember(file, present);
  };
  return {
    position() {
      promised = Math.max(present.position, sent) + 1;
      return { epochId: present.epochId, mark: promised };
    },
    async known(epochIds) {
      const found = await readEpochs(kysely, epochIds);
      return epochIds.map((epochId) => {
        const epoch = found.get(epochId);
        return { epochId, mark: epoch?.position ?? 0, isWhole: epoch?.isPresentServer ?? false };
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
        await parts.attempt('position', tick);
        await clock.sleep(everyMs, signal).catch(() => {});
      }
      await parts.attempt('position', tick);
    },
  };
}

function isoTime(us: number): string {
  return new Date(us / 1000).toISOString();
}
