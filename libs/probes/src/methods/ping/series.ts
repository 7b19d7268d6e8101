import type { IcmpSocket, PingAnswer } from '@vantage/icmp';
import type { Clock } from '@vantage/kernel';

/** A series of pings to one address. */
export interface PingSeries {
  readonly socket: Pick<IcmpSocket, 'ping'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly address: string;
  readonly count: number;
  readonly size: number;
  readonly intervalMs: number;
  /** Time to live; absent: the system's own. */
  readonly ttl?: number;
  /** The whole series takes at most this long. */
  readonly budgetMs: number;
}

/** Once something has answered, the rest is waited for this long after the last ping at least, milliseconds. */
const lingerMs = 1000;
/** And at least this many times the slowest reply. */
const lingerTimes = 4;
/** A full queue to the wire empties within milliseconds. */
const retryMs = 5;
const maxRetries = 40;

/**
 * Sends `count` pings, one each `intervalMs` (closer together where the budget is short), and waits for the answers:
 * for the whole budget while nothing has answered, else a second or four times the slowest reply after the last one. A
 * ping that this machine itself cannot send ends the series. Answers come in the order of sending; rejects only when
 * the signal aborts.
 */
export async function runSeries(series: PingSeries): Promise<readonly PingAnswer[]> {
  const { socket, clock, signal, address, count, size, ttl, budgetMs } = series;
  const enough = new AbortController();
  const waited = enough.signal;
  const onCut = () => enough.abort();
  if (signal.aborted) onCut();
  else signal.addEventListener('abort', onCut, { once: true });
  const endMs = clock.monoMs() + budgetMs;
  const stepMs = Math.min(series.intervalMs, budgetMs / (count + 1));
  const pings: Promise<PingAnswer>[] = [];
  let slowestMs: number | undefined;
  let answered = 0;
  let linger: Disposable | undefined;

  /** Once all are sent and one has answered, the rest will not take much longer. */
  const startLinger = () => {
    if (slowestMs === undefined || pings.length < count || linger || answered === count) return;
    linger = clock.timer(Math.max(lingerMs, slowestMs * lingerTimes), () => enough.abort());
  };
  const sendOnce = (): Promise<PingAnswer> => {
    const timeoutMs = Math.max(1, endMs - clock.monoMs());
    return socket.ping({ address, size, timeoutMs, signal: waited, ...(ttl ? { ttl } : {}) });
  };
  const send = async (): Promise<PingAnswer> => {
    let answer = await sendOnce();
    for (let retry = 0; retry < maxRetries && isFull(answer) && !waited.aborted; retry += 1) {
      await clock.sleep(retryMs, waited).catch(() => undefined);
      answer = await sendOnce();
    }
    if (answer.kind === 'unsent') enough.abort();
    if (answer.kind === 'reply') {
      slowestMs = Math.max(slowestMs ?? 0, answer.rttMs);
      answered += 1;
      startLinger();
    }
    return answer;
  };
  while (pings.length < count && !waited.aborted) {
    pings.push(send());
    if (pings.length < count) await clock.sleep(stepMs, waited).catch(() => undefined);
  }
  startLinger();
  const answers = await Promise.all(pings);
  linger?.[Symbol.dispose]();
  signal.removeEventListener('abort', onCut);
  if (signal.aborted) throw signal.reason;
  return answers;
}

/** This machine's own queue to the wire was full for a moment. */
function isFull(answer: PingAnswer): boolean {
  return answer.kind === 'unsent' && (answer.code === 'EAGAIN' || answer.code === 'ENOBUFS');
}

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
interface PingLimits {
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
