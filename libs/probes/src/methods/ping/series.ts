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
