import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@vantage/kernel';
import { isServerSilent, stateOf } from './pg-error.ts';
import { createPoller, type Poller } from './poller.ts';
import type { OpenConnection } from './pool.ts';
import { decidePrimary, type PrimaryAnswer, type PrimaryState } from './primary-verdict.ts';
import { serverRun } from './session.ts';

/** Times of the watch, ms. */
export interface WatchTimes {
  readonly everyMs: number;
  /** An answer that takes longer is also asked for over a new connection. */
  readonly doubtMs: number;
  /** The time for the answer after that. */
  readonly limitMs: number;
}
const watchTimes: WatchTimes = { everyMs: 1_000, doubtMs: 3_000, limitMs: 5_000 };
/**
 * The watch closes its connections itself. A shorter limit would end a question that was answered while this process
 * was stopped.
 */
const neverMs = 24 * 3_600_000;

/** Asks the primary whether it is there, and has the connections to a server cut that is not. */
export interface PrimaryWatch {
  /** Asks every second until `ending` aborts. */
  run(ending: AbortSignal): Promise<void>;
}

/**
 * A host that loses its power or network says nothing: its connections stay open, and each statement would find out for
 * itself. The watch asks over a connection that it keeps. A late answer is also asked for over a new connection, which
 * finds the name's present address. The kept connection of a server under load answers first, and nothing happens.
 * `cut` receives which connections to break.
 */
export function createPrimaryWatch({
  url,
  log,
  cut,
  times = watchTimes,
}: {
  readonly url: string;
  readonly log: Readonly<Record<'info' | 'warn', (data: object, text: string) => void>>;
  readonly cut: (which: (connection: OpenConnection) => boolean) => void;
  readonly times?: WatchTimes;
}): PrimaryWatch {
  let state: PrimaryState = { isSilent: false, server: undefined };
  let kept: Poller<{ server: string }> | undefined;
  const open = () =>
    createPoller<{ server: string }>({
      url,
      name: 'vantage watch',
      statement: `select ${serverRun} as server`,
      limitMs: neverMs,
    });

  const ask = async (): Promise<PrimaryAnswer> => {
    const first = kept ?? open();
    kept = first;
    const early = settled(first);
    const inTime = await within(early, times.doubtMs);
    if (inTime !== undefined) return inTime;
    const second = open();
    const anew = settled(second).then((answer): PrimaryAnswer => {
      return answer.kind === 'answered' ? { ...answer, kind: 'answered-anew' } : answer;
    });
    // A failure of one of them waits for the other.
    const answer = await within(Promise.race([early, anew].map(ifAnswered)), times.limitMs);
    const isFirst = answer?.kind === 'answered';
    kept = answer === undefined ? undefined : isFirst ? first : second;
    for (const poller of [first, second]) if (poller !== kept) poller.close();
    return answer ?? { kind: 'silent', reason: 'no answer in time' };
  };

  const step = async () => {
    const askedMs = performance.now();
    const answer = await ask();
    const next = decidePrimary(state, answer);
    state = next.state;
    for (const word of next.says)
      if (word === 'answers') log.info({}, 'the database answers again');
      else
        log.warn(
          { reason: answer.kind === 'silent' ? answer.reason : 'its open connections are dead' },
          'the database does not answer: its connections are cut',
        );
    if (next.cut === 'older') cut(({ openedMs }) => openedMs < askedMs);
    if (next.cut === 'elsewhere')
      cut(({ session }) => session !== undefined && session.server !== state.server);
  };

  return {
    async run(ending) {
      while (!ending.aborted) {
        await step();
        await delay(times.everyMs, undefined, { signal: ending }).catch(() => {});
      }
      kept?.close();
    },
  };
}

/** The answer of a poller; never rejects. */
async function settled(poller: Poller<{ server: string }>): Promise<PrimaryAnswer> {
  try {
    return { kind: 'answered', server: (await poller.poll()).server };
  } catch (error) {
    if (stateOf(error) !== '') return { kind: 'answered', server: undefined };
    return isServerSilent(error) ? { kind: 'silent', reason: messageOf(error) } : { kind: 'refused' };
  }
}

/** Never settles for another outcome than an answer. */
function ifAnswered(answer: Promise<PrimaryAnswer>): Promise<PrimaryAnswer> {
  return new Promise((resolve) => {
    void answer.then((found) => {
      if (found.kind === 'answered' || found.kind === 'answered-anew') resolve(found);
    });
  });
}

/** The answer, or undefined after `ms`. */
async function within<T>(answer: Promise<T>, ms: number): Promise<T | undefined> {
  const late = new AbortController();
  try {
    return await Promise.race([answer, delay(ms, undefined, { signal: late.signal }).catch(() => undefined)]);
  } finally {
    late.abort();
  }
}
