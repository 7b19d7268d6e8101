import { minuteUs } from '@vantage/domain';
import type { Clock, Logger } from '@vantage/kernel';
import type { TimeScale } from '../../platform/config/time-scale.ts';

/** The parts of the controller that must make progress. */
export type PartName = 'ingest' | 'status' | 'deliveries';

/** The work of a part. */
export interface PartWork {
  /** Grows with each piece of work that is done. */
  readonly done: number;
  /** Work waits, or the part does rounds all the time. */
  readonly isWaiting: boolean;
}

/** The work of all parts at one moment. */
export type Work = Readonly<Record<PartName, PartWork>>;

/**
 * The parts that made no progress between two moments.
 *
 * | work waited before | work waits now | something was done | stalled |
 * |---|---|---|---|
 * | any | any | yes | no |
 * | no | any | no | no |
 * | any | no | no | no |
 * | yes | yes | no | yes |
 *
 * Pure.
 */
export function stalledParts(before: Work, now: Work): readonly PartName[] {
  const names: readonly PartName[] = ['ingest', 'status', 'deliveries'];
  return names.filter(
    (name) => before[name].isWaiting && now[name].isWaiting && now[name].done <= before[name].done,
  );
}

const answerMs = 10_000;

/**
 * Calls `url` each minute while every part makes progress, until the signal aborts. Another service notices when the
 * calls end (a dead man's switch). The first call comes after the first minute.
 */
export async function runHeartbeat(
  deps: {
    readonly url: string | undefined;
    readonly readWork: () => Work;
    readonly clock: Clock;
    readonly log: Logger;
    readonly timeScale: TimeScale;
  },
  signal: AbortSignal,
): Promise<void> {
  const { url, readWork, clock, log, timeScale } = deps;
  if (url === undefined) return;
  const host = new URL(url).host;
  let isCalled = true;
  let wasStalled = false;
  let before = readWork();
  while (!signal.aborted) {
    await clock.sleep(timeScale(minuteUs / 1_000, 10), signal).catch(() => {});
    if (signal.aborted) return;
    const now = readWork();
    const stalled = stalledParts(before, now);
    before = now;
    if (stalled.length > 0 !== wasStalled) {
      if (wasStalled) log.info('all parts make progress again: the heartbeat is sent');
      else log.error({ stalled }, 'heartbeat not sent: a background job is stalled');
    }
    wasStalled = stalled.length > 0;
    if (wasStalled) continue;
    const answer = await call(url, signal);
    if (signal.aborted) return; // the end cut it
    if (answer === undefined && !isCalled) log.info({ host }, 'the heartbeat arrives again');
    if (answer !== undefined && isCalled) log.warn({ host, answer }, 'the heartbeat does not arrive');
    isCalled = answer === undefined;
  }
}

/** Undefined: it arrived; else why not. The address may contain a key, so no error's own text is used. */
async function call(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]) });
    await response.body?.cancel();
    return response.ok ? undefined : `HTTP ${response.status}`;
  } catch {
    return 'no answer';
  }
}

/** Creates the reader of the work that the parts of this process did, for the operator's heartbeat. */
export function createWorkReader({
  ingest,
  gateway,
  health,
  notify,
}: {
  readonly ingest: () => { readonly done: number; readonly isWaiting: boolean };
  readonly gateway: { readonly load: { readonly waitingBatches: number } };
  readonly health: { readonly rounds: number };
  readonly notify: { readonly rounds: number };
}): () => Work {
  return () => {
    const { done, isWaiting } = ingest();
    return {
      ingest: { done, isWaiting: isWaiting || gateway.load.waitingBatches > 0 },
      status: { done: health.rounds, isWaiting: true },
      deliveries: { done: notify.rounds, isWaiting: true },
    };
  };
}
