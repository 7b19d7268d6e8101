import type { PingAnswer } from '@vantage/icmp';

/** The figures of a series of pings. Times are milliseconds; without a reply they are 0. */
export interface PingStatistics {
  readonly sent: number;
  readonly received: number;
  readonly lossPercent: number;
  readonly minMs: number;
  readonly meanMs: number;
  readonly maxMs: number;
  /** Mean difference between one reply's time and the next one's. */
  readonly jitterMs: number;
  /** Payload bytes of all replies. */
  readonly bytes: number;
}

/** Sums up the answers to a series of pings, in the order of their sending. */
export function summarise(answers: readonly PingAnswer[]): PingStatistics {
  const replies = answers.filter((answer) => answer.kind === 'reply');
  const times = replies.map(({ rttMs }) => rttMs);
  const differences = times.slice(1).map((time, index) => Math.abs(time - (times[index] ?? time)));
  const sent = answers.length;
  return {
    sent,
    received: replies.length,
    lossPercent: sent === 0 ? 0 : rounded(((sent - replies.length) / sent) * 100),
    minMs: rounded(times.length === 0 ? 0 : Math.min(...times)),
    meanMs: rounded(mean(times)),
    maxMs: rounded(times.length === 0 ? 0 : Math.max(...times)),
    jitterMs: rounded(mean(differences)),
    bytes: replies.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** The expectations of the Options on a series. */
export interface PingLimits {
  readonly MaxLossPercent?: number | undefined;
  readonly MaxRTTMs?: number | undefined;
}

/**
 * The text of the first expectation that is not met; undefined when all are. Only for a series with at least one reply.
 */
export function unmetLimit(seen: PingStatistics, limits: PingLimits): string | undefined {
  const { MaxLossPercent, MaxRTTMs } = limits;
  if (MaxLossPercent !== undefined && seen.lossPercent > MaxLossPercent) {
    const answered = `${seen.received} of ${seen.sent} answered`;
    return `loss ${shown(seen.lossPercent)} % is over ${MaxLossPercent} % (${answered})`;
  }
  if (MaxRTTMs !== undefined && seen.meanMs > MaxRTTMs) {
    return `mean round-trip time ${shown(seen.meanMs)} ms is over ${MaxRTTMs} ms`;
  }
  return undefined;
}

/** A figure for people: three digits that count. */
export function shown(figure: number): string {
  return String(Number(figure.toPrecision(3)));
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Whole microseconds (or millionths of what it is): finer digits are noise. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
