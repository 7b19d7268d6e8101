import type { Clocks } from './addon.ts';

/** The clocks at both ends of a ping and how long its answer waited in the socket. */
export interface RoundTrip {
  readonly sent: Clocks;
  readonly read: Clocks;
  /** From the kernel's stamp to the read, by the wall clock, nanoseconds; NaN without a stamp. */
  readonly queuedNs: number;
}

/** Time servers slew a clock by 500 millionths at most; this much change between send and read is not a step. */
const slewPerNs = 0.0005;
/** Beside it: what reading two clocks one after the other may differ by when the process loses its core in between. */
const readingErrorNs = 50_000;

/**
 * Round-trip time in milliseconds. Monotonic from send to read, less the time in the socket's queue, which the kernel's
 * stamp gives by the wall clock. Somebody may set that clock meanwhile: then the two clocks' offset has changed, the
 * stamp says nothing, and the time to the read itself counts (too long by the event loop's delay, never by the step).
 */
export function roundTripMs({ sent, read, queuedNs }: RoundTrip): number {
  const untilReadNs = Math.max(0, read.monoNs - sent.monoNs);
  const drift = Math.abs(read.offsetNs - sent.offsetNs);
  const stepped = drift > readingErrorNs + untilReadNs * slewPerNs;
  const plausible = queuedNs >= 0 && queuedNs <= untilReadNs;
  return (stepped || !plausible ? untilReadNs : untilReadNs - queuedNs) / 1e6;
}
