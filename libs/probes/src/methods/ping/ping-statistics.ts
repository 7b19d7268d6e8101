import type { PingAnswer } from '@vantage/icmp';
import { meanOpinionScore } from './mean-opinion-score.ts';

/** The figures of a series of pings. Times are milliseconds, 0 without a reply. */
export interface PingStatistics {
  readonly sent: number;
  readonly received: number;
  readonly lossPercent: number;
  readonly minMs: number;
  readonly meanMs: number;
  readonly maxMs: number;
  /** The mean difference between the times of two successive replies. */
  readonly jitterMs: number;
  /** The quality of a call over this way, 1 to 4.4. */
  readonly score: number;
  /** The payload of all replies. */
  readonly bytes: number;
}

/** The figures of answers in the order of sending. */
export function summarise(answers: readonly PingAnswer[]): PingStatistics {
  const replies = answers.filter((answer) => answer.kind === 'reply');
  const times = replies.map(({ rttMs }) => rttMs);
  const differences = times.slice(1).map((time, index) => Math.abs(time - (times[index] ?? time)));
  const sent = answers.length;
  const quality = {
    lossPercent: sent === 0 ? 0 : rounded(((sent - replies.length) / sent) * 100),
    meanRttMs: mean(times),
    jitterMs: mean(differences),
  };
  return {
    sent,
    received: replies.length,
    lossPercent: quality.lossPercent,
    minMs: rounded(times.length === 0 ? 0 : Math.min(...times)),
    meanMs: rounded(quality.meanRttMs),
    maxMs: rounded(times.length === 0 ? 0 : Math.max(...times)),
    jitterMs: rounded(quality.jitterMs),
    score: Math.round(meanOpinionScore(quality) * 100) / 100,
    bytes: replies.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

interface PingLimits {
  readonly MaxLossPercent?: number | undefined;
  readonly MaxRTTMs?: number | undefined;
  readonly MaxJitterMs?: number | undefined;
  readonly MinMOS?: number | undefined;
}

/** The text of the first limit that a series with a reply exceeds, if any. */
export function unmetLimit(statistics: PingStatistics, limits: PingLimits): string | undefined {
  const { MaxLossPercent, MaxRTTMs, MaxJitterMs, MinMOS } = limits;
  if (MaxLossPercent !== undefined && statistics.lossPercent > MaxLossPercent) {
    const answered = `${statistics.received} of ${statistics.sent} answered`;
    return `loss ${showFigure(statistics.lossPercent)} % is over ${MaxLossPercent} % (${answered})`;
  }
  if (MaxRTTMs !== undefined && statistics.meanMs > MaxRTTMs) {
    return `mean round-trip time ${showFigure(statistics.meanMs)} ms is over ${MaxRTTMs} ms`;
  }
  if (MaxJitterMs !== undefined && statistics.jitterMs > MaxJitterMs) {
    return `jitter ${showFigure(statistics.jitterMs)} ms is over ${MaxJitterMs} ms`;
  }
  if (MinMOS !== undefined && statistics.score < MinMOS) {
    const { meanMs, jitterMs, lossPercent } = statistics;
    const why = `round trip ${showFigure(meanMs)} ms, jitter ${showFigure(jitterMs)} ms, loss ${showFigure(lossPercent)} %`;
    return `MOS ${showFigure(statistics.score)} is under ${MinMOS} (${why})`;
  }
  return undefined;
}

/** A figure with three significant digits. */
export function showFigure(figure: number): string {
  return String(Number(figure.toPrecision(3)));
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Rounds to three decimal places. Finer digits are noise. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
