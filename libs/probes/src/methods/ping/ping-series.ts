import type { IcmpSocket, PingAnswer, SendingOptions } from '@vantage/icmp';
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
  /** Default: as the system sends. */
  readonly sending?: SendingOptions;
  /** The time of the whole series. */
  readonly budgetMs: number;
}

/** After a reply, the wait for the others lasts at least this long after the last ping, milliseconds. */
const minLingerMs = 1000;
/** It also lasts at least this many times the slowest reply. */
const lingerTimes = 4;
/** A full send queue empties within milliseconds. */
const retryMs = 5;
const maxRetries = 40;

/**
 * Sends `count` pings, one every `intervalMs`, or faster if the budget is short, and waits for the answers. Without any
 * reply it waits for the whole budget, else for a second or four times the slowest reply after the last ping. A ping
 * that this machine cannot send ends the series. Returns the answers in the order of sending. Rejects only if the
 * signal aborts.
 */
export async function runSeries(series: PingSeries): Promise<readonly PingAnswer[]> {
  const { socket, clock, signal, address, count, size, sending, budgetMs } = series;
  const seriesEnd = new AbortController();
  const ended = seriesEnd.signal;
  const onCut = () => seriesEnd.abort();
  if (signal.aborted) onCut();
  else signal.addEventListener('abort', onCut, { once: true });
  const endMs = clock.monoMs() + budgetMs;
  const stepMs = Math.min(series.intervalMs, budgetMs / (count + 1));
  const pings: Promise<PingAnswer>[] = [];
  let slowestMs: number | undefined;
  let answered = 0;
  let linger: Disposable | undefined;

  /** When all pings are sent and one is answered, the others will not take much longer. */
  const startLinger = () => {
    if (slowestMs === undefined || pings.length < count || linger || answered === count) return;
    linger = clock.timer(Math.max(minLingerMs, slowestMs * lingerTimes), () => seriesEnd.abort());
  };
  const sendOnce = (): Promise<PingAnswer> => {
    const timeoutMs = Math.max(1, endMs - clock.monoMs());
    return socket.ping({ address, size, timeoutMs, signal: ended, ...sending });
  };
  const send = async (): Promise<PingAnswer> => {
    let answer = await sendOnce();
    for (let retry = 0; retry < maxRetries && isFull(answer) && !ended.aborted; retry += 1) {
      await clock.sleep(retryMs, ended).catch(() => undefined);
      answer = await sendOnce();
    }
    if (answer.kind === 'unsent') seriesEnd.abort();
    if (answer.kind === 'reply') {
      slowestMs = Math.max(slowestMs ?? 0, answer.rttMs);
      answered += 1;
      startLinger();
    }
    return answer;
  };
  while (pings.length < count && !ended.aborted) {
    pings.push(send());
    if (pings.length < count) await clock.sleep(stepMs, ended).catch(() => undefined);
  }
  startLinger();
  const answers = await Promise.all(pings);
  linger?.[Symbol.dispose]();
  signal.removeEventListener('abort', onCut);
  if (signal.aborted) throw signal.reason;
  return answers;
}

/** Whether the send queue of this machine was full. */
function isFull(answer: PingAnswer): boolean {
  return answer.kind === 'unsent' && (answer.code === 'EAGAIN' || answer.code === 'ENOBUFS');
}
