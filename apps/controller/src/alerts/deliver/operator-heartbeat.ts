import { minuteUs } from '@vantage/domain';
import type { Clock, Logger } from '@vantage/kernel';
import type { TimeScale } from '../../config/time-scale.ts';
import type { PartName, PartsWork } from './work-reader.ts';

/**
 * The parts that made no progress between two readings.
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
export function stalledParts(before: PartsWork, now: PartsWork): readonly PartName[] {
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
    readonly readWork: () => PartsWork;
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

/** Returns undefined when the call arrived, else the reason. Errors' own texts may contain the address with a key. */
async function call(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]) });
    await response.body?.cancel();
    return response.ok ? undefined : `HTTP ${response.status}`;
  } catch {
    return 'no answer';
  }
}
