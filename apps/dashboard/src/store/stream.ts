import { computed } from '@preact/signals';
import { maxSilenceMs, problemOf, readEventStream, retryDelayMs } from '@vantage/client';
import { ApiProblem, goodAnswers, isNotFound, send } from './api.ts';
import { now, serverNow } from './clock.ts';
import { type EndOfWait, firstEvent } from './first-event.ts';
import { accountSignal } from './present-sign-in.ts';
import { checkVersion } from './version.ts';

/** The time of the last data from the stream, milliseconds since 1970; 0: none yet. */
export const heardAt = accountSignal(0);

/**
 * The state of the connection. `lostAt`: since when the stream is closed although it should be open; `retryAt`: the
 * time of the next attempt.
 */
export const link = accountSignal<{ readonly lostAt: number | undefined; readonly retryAt: number }>({
  lostAt: undefined,
  retryAt: 0,
});

const silent = computed(() => heardAt.value > 0 && now.value - heardAt.value > maxSilenceMs);

/** Whether the stream has been silent long enough for the facts to be old. */
export const isSilent = (): boolean => silent.value;

/** The callbacks of the stream's reader. */
interface Follower {
  readonly onEvent: (event: unknown) => void;
  /** Events may be missing: everything is to be read again. */
  readonly onGap: () => void;
}

/**
 * Follows the account's events until `ending` aborts. The stream is closed while the tab is hidden, and then continues
 * after the last event that arrived.
 */
export async function followEvents({ onEvent, onGap }: Follower, ending: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  let failures = 0;
  let isUnreachable = false;
  while (!ending.aborted) {
    await untilVisible(ending);
    const closing = new AbortController();
    const hide = () => document.hidden && closing.abort();
    const cut = new AbortController();
    const cutOff = () => cut.abort();
    document.addEventListener('visibilitychange', hide);
    addEventListener('offline', cutOff);
    const stopWatch = onWake(cutOff);
    try {
      const headers = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
      const signal = AbortSignal.any([ending, closing.signal, cut.signal]);
      const answer = await send(new Request('/v1.1/events?stream=1', { headers, signal, cache: 'no-store' }));
      if (!answer.ok || answer.body === null) throw await refusalOf(answer);
      if (lastId === undefined) onGap();
      if (link.value.lostAt !== undefined) void checkVersion();
      link.value = { lostAt: undefined, retryAt: 0 };
      failures = 0;
      isUnreachable = true;
      for await (const { id, data } of readEventStream(answer.body, signal, setHeardNow)) {
        lastId = id ?? lastId;
        if (data !== undefined) onEvent(JSON.parse(data));
      }
    } catch (error) {
      if (isNotFound(error)) lastId = undefined;
      failures += 1;
      isUnreachable = !(error instanceof ApiProblem) || error.code === 0;
    } finally {
      document.removeEventListener('visibilitychange', hide);
      removeEventListener('offline', cutOff);
      stopWatch();
    }
    if (closing.signal.aborted || ending.aborted) continue;
    const ms = retryDelayMs(failures, Math.random());
    link.value = { lostAt: link.value.lostAt ?? serverNow(), retryAt: serverNow() + ms };
    await pause(ms, isUnreachable, ending);
  }
}

function setHeardNow(): void {
  heardAt.value = serverNow();
}

/**
 * Calls `act` after the computer was asleep: its connections are dead, and no error may report that. Returns its stop.
 */
function onWake(act: () => void): () => void {
  let before = Date.now();
  // The browser's clock is used, because the learned offset of the server's clock may change and look like a gap.
  return now.subscribe(() => {
    const at = Date.now();
    if (at - before > maxSilenceMs) act();
    before = at;
  });
}

async function refusalOf(answer: Response): Promise<ApiProblem> {
  const problem = await problemOf(answer);
  return new ApiProblem(problem?.code ?? answer.status, answer.statusText);
}

/** Resolves when the tab is visible. */
async function untilVisible(ending: AbortSignal): Promise<void> {
  while (document.hidden && !ending.aborted)
    await firstEvent([
      [document, 'visibilitychange'],
      [ending, 'abort'],
    ]);
}

const person = new EventTarget();

/** Tries the stream again at once, if it is waiting. */
export const tryNow = (): void => {
  person.dispatchEvent(new Event('now'));
};

/**
 * Waits for `ms`, at most until the network is back or a person wants to try now. `isUnreachable`: the controller could
 * not be reached, so any answer from it ends the wait too.
 */
async function pause(ms: number, isUnreachable: boolean, ending: AbortSignal): Promise<void> {
  if (ending.aborted) return;
  const events: readonly EndOfWait[] = [
    [person, 'now'],
    [window, 'online'],
    [ending, 'abort'],
  ];
  await firstEvent(isUnreachable ? [...events, [goodAnswers, 'answer']] : events, ms);
}
