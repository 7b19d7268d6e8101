import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { Clock } from '@vantage/kernel';

/** Measures how busy the thread of this controller is. */
interface BusyMeter {
  /** The share of about the last second in which the thread worked, 0 to 1000. */
  permille(): number;
}

const windowMs = 1000;

/**
 * Creates the meter. It measures from one reading to the next that is at least a second later, so it costs nothing
 * between readings. `read` returns the totals since the process started, milliseconds.
 */
export function createBusyMeter({
  clock,
  read = () => performance.eventLoopUtilization(),
}: {
  readonly clock: Pick<Clock, 'monoMs'>;
  readonly read?: () => Pick<EventLoopUtilization, 'active' | 'idle'>;
}): BusyMeter {
  let from = { ...read(), atMs: clock.monoMs() };
  let last = 0;
  return {
    permille() {
      const atMs = clock.monoMs();
      if (atMs - from.atMs < windowMs) return last;
      const { active, idle } = read();
      const [worked, rested] = [active - from.active, idle - from.idle];
      from = { active, idle, atMs };
      last = worked + rested <= 0 ? 0 : Math.round((1000 * worked) / (worked + rested));
      return last;
    },
  };
}
