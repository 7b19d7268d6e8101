/** A counter as a device reported it. */
export interface CounterReading {
  readonly count: bigint;
  readonly bits: 32 | 64;
  readonly at: DeviceTime;
  /** The device's mark of the last discontinuity (ifCounterDiscontinuityTime); undefined if it was not read. */
  readonly discontinuity?: number | undefined;
}

/** The time of an answer by both clocks. */
export interface DeviceTime {
  /** sysUpTime of the answer, hundredths of a second modulo 2^32. */
  readonly upTicks: number;
  /** The agent's monotonic clock when the answer arrived, milliseconds. */
  readonly monoMs: number;
}

/** The maximum growth of a counter. */
export interface CounterLimit {
  /** It tells a wrap of a 32-bit counter from a reset. Absent: it is not known. */
  readonly maxPerSecond?: number | undefined;
  /**
   * The counter may really grow at its maximum (octets), so that a 32-bit counter may wrap several times between two
   * readings. A counter of errors does not.
   */
  readonly isFullRate: boolean;
}

/** A rate, or the reason why there is none: a gap is better than a wrong value. */
export type Rate =
  | { readonly kind: 'rate'; readonly perSecond: number }
  | {
      readonly kind: 'none';
      /**
       * `first`: nothing to compare with. `soon`: less than a second passed. `restarted`: the device or its counter
       * began again. `ambiguous`: a 32-bit counter may have wrapped more than once.
       */
      readonly reason: 'first' | 'soon' | 'restarted' | 'ambiguous';
    };

/** The two clocks may differ by two per cent, and an answer may be 2 s on its way. */
const clockTolerance = 0.02;
const clockToleranceMs = 2_000;
/** Devices update their counters only every few seconds. */
const staleSeconds = 10;
const minMs = 1_000;
const modulus = 2 ** 32;

/** The rate between two readings of a counter, by the device's own clock. Pure. */
export function rateOf(
  previous: CounterReading | undefined,
  current: CounterReading,
  limit: CounterLimit,
): Rate {
  if (previous === undefined) return none('first');
  const isOtherCounter = previous.bits !== current.bits || previous.discontinuity !== current.discontinuity;
  if (isOtherCounter || hasRestarted(previous.at, current.at)) return none('restarted');
  const elapsedMs = current.at.monoMs - previous.at.monoMs;
  const seconds = upMs(previous.at, current.at) / 1000;
  if (elapsedMs < minMs || seconds * 1000 < minMs) return none('soon');
  const grown = current.count - previous.count;
  if (current.bits === 64)
    return grown < 0n ? none('restarted') : { kind: 'rate', perSecond: Number(grown) / seconds };
  const { maxPerSecond, isFullRate } = limit;
  if (isFullRate && maxPerSecond !== undefined && maxPerSecond * seconds >= modulus) return none('ambiguous');
  if (grown >= 0n) return { kind: 'rate', perSecond: Number(grown) / seconds };
  const wrapped = Number(grown) + modulus;
  const maxWrapped = maxPerSecond === undefined ? modulus / 2 : maxPerSecond * (seconds + staleSeconds);
  return wrapped > maxWrapped ? none('restarted') : { kind: 'rate', perSecond: wrapped / seconds };
}

/** Whether the device started again between two answers: its clock does not agree with the agent's. */
export function hasRestarted(previous: DeviceTime, current: DeviceTime): boolean {
  const elapsedMs = current.monoMs - previous.monoMs;
  return (
    Math.abs(upMs(previous, current) - elapsedMs) > Math.abs(elapsedMs) * clockTolerance + clockToleranceMs
  );
}

/** sysUpTime is modulo 2^32, which is 497 days. */
function upMs(previous: DeviceTime, current: DeviceTime): number {
  return ((current.upTicks - previous.upTicks + modulus) % modulus) * 10;
}

function none(reason: Extract<Rate, { kind: 'none' }>['reason']): Rate {
  return { kind: 'none', reason };
}
