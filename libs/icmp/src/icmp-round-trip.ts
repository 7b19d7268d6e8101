import type { Clocks } from './addon-buffer.ts';

/** The clocks at both ends of a ping, and the time that its answer waited in the socket. */
interface RoundTrip {
  readonly sent: Clocks;
  readonly read: Clocks;
  /** Time from the kernel's timestamp to the read, by the wall clock, nanoseconds; NaN without a timestamp. */
  readonly queuedNs: number;
}

/** Time servers slew a clock by at most 500 millionths. A change up to this between send and read is not a step. */
const slewPerNs = 0.0005;

/**
 * Tolerated difference between two clocks that are read one after the other, because the process may lose its core in
 * between.
 */
const readingErrorNs = 50_000;

/**
 * Round-trip time in milliseconds: the monotonic time from send to read, minus the time in the socket's queue. The
 * kernel measures the latter by the wall clock. If that clock was set in the meantime, the offset between the two
 * clocks has changed and the timestamp is useless. The time to the read then counts, which is too long by the delay of
 * the event loop, never by the step.
 */
export function roundTripMs({ sent, read, queuedNs }: RoundTrip): number {
  const untilReadNs = Math.max(0, read.monoNs - sent.monoNs);
  const drift = Math.abs(read.offsetNs - sent.offsetNs);
  const stepped = drift > readingErrorNs + untilReadNs * slewPerNs;
  const plausible = queuedNs >= 0 && queuedNs <= untilReadNs;
  return (stepped || !plausible ? untilReadNs : untilReadNs - queuedNs) / 1e6;
}
