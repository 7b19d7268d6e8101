import { minuteUs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';

/**
 * The controller's clock. It follows the wall clock of the machine, slews and small steps included, but not a step of
 * more than a minute: then it goes on by the monotonic clock until somebody calls `follow`. Time in which the machine
 * slept is no step.
 */
export interface HeldClock extends Clock {
  /** The step that it does not follow; undefined: it follows the wall clock. */
  readonly held: HeldStep | undefined;
  /** Takes over the wall clock as it is now. */
  follow(): void;
  /** Moves the controller's clock by this, microseconds; it then goes on by the monotonic clock. */
  moveBy(us: number): void;
}

/** A step of the wall clock that the controller does not follow. */
export interface HeldStep {
  /** Wall clock minus the controller's clock, microseconds. */
  readonly wallAheadUs: number;
  /** So long ago the controller noticed it, milliseconds. */
  readonly forMs: number;
}

/** A larger step is not followed, microseconds. */
const longestStepUs = minuteUs;

/** `upMs` counts since boot with the time that the machine slept; the monotonic clock counts without. */
export function createHeldClock(clock: Clock, upMs: () => number): HeldClock {
  let baseUs = clock.nowUs();
  let baseMs = clock.monoMs();
  let aheadMs = upMs() - baseMs;
  let heldFromMs: number | undefined;

  const adopt = (wallUs: number) => {
    baseUs = wallUs;
    baseMs = clock.monoMs();
    heldFromMs = undefined;
    return wallUs;
  };
  const nowUs = () => {
    const wallUs = clock.nowUs();
    const countedUs = baseUs + (clock.monoMs() - baseMs) * 1000;
    if (Math.abs(wallUs - countedUs) <= longestStepUs) return adopt(wallUs);
    const sleptMs = upMs() - clock.monoMs() - aheadMs;
    if (Math.abs(wallUs - countedUs - sleptMs * 1000) <= longestStepUs) {
      aheadMs += sleptMs;
      return adopt(wallUs);
    }
    heldFromMs ??= clock.monoMs();
    return Math.round(countedUs);
  };
  return {
    nowUs,
    monoMs: () => clock.monoMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    timer: (ms, fn) => clock.timer(ms, fn),
    follow: () => {
      aheadMs = upMs() - clock.monoMs();
      adopt(clock.nowUs());
    },
    moveBy: (us) => {
      baseUs = nowUs() + us;
      baseMs = clock.monoMs();
      aheadMs = upMs() - baseMs;
      heldFromMs = baseMs;
    },
    get held() {
      const wallAheadUs = Math.round(-nowUs() + clock.nowUs());
      return heldFromMs === undefined ? undefined : { wallAheadUs, forMs: clock.monoMs() - heldFromMs };
    },
  };
}
