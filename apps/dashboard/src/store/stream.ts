import { computed } from '@preact/signals';
import { createEventReader, retryDelayMs } from '@vantage/client';
import { ApiProblem, goodAnswers, isNotFound, send } from './api.ts';
import { now, serverNow } from './clock.ts';
import { type EndOfWait, firstEvent } from './first-event.ts';
import { accountSignal } from './present-sign-in.ts';
import { checkVersion } from './version.ts';

/** When the stream last said anything, milliseconds since 1970; 0: never. */
export const heardAt = accountSignal(0);

/**
 * Whether the stream is open. `lostAt`: since when it is not, though it should be; `retryAt`: when it is tried again.
 */
export const link = accountSignal<{ readonly lostAt: number | undefined; readonly retryAt: number }>({
  lostAt: undefined,
  retryAt: 0,
});

/** A line comes each 15 s. Without one for this long the facts are old. */
const silentAfterMs = 40_000;

const silent = computed(() => heardAt.value > 0 && now.value - heardAt.value > silentAfterMs);

/** Whether the stream has been silent for so long that the facts are old. */
export const isSilent = (): boolean => silent.value;

/** The callbacks of the stream's reader. */
interface Follower {
  readonly onEvent: (event: unknown) => void;
  /** Events may be missing: everything is to be read again. */
  readonly onGap: () => void;
}

/**
 * Follows the account's events until `ending` aborts. It is closed while the tab is hidden, and goes on after the last
 * event that it has.
 */
export async function followEvents({ onEvent, onGap }: Follower, ending: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  let failures = 0;
  let isAway = false;
  while (!ending.aborted) {
    await shown(ending);
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
      if (!answer.ok || answer.body === null) throw await refusal(answer);
      if (lastId === undefined) onGap();
      if (link.value.lostAt !== undefined) void checkVersion();
      link.value = { lostAt: undefined, retryAt: 0 };
      failures = 0;
      isAway = true;
      await readAll(answer.body, signal, (id, data) => {
        lastId = id ?? lastId;
        if (data !== undefined) onEvent(data);
      });
    } catch (error) {
      if (isNotFound(error)) lastId = undefined;
      failures += 1;
      isAway = !(error instanceof ApiProblem) || error.code === 0;
    } finally {
      document.removeEventListener('visibilitychange', hide);
      removeEventListener('offline', cutOff);
      stopWatch();
    }
    if (closing.signal.aborted || ending.aborted) continue;
    const ms = retryDelayMs(failures, Math.random());
    link.value = { lostAt: link.value.lostAt ?? serverNow(), retryAt: serverNow() + ms };
    await pause(ms, isAway, ending);
  }
}

/** Calls back when the computer has slept: its connections are dead, and nobody may tell. Returns how to stop. */
function onWake(act: () => void): () => void {
  let before = Date.now();
  // By the browser's own clock: the server's is learned, and may seem to leap.
  return now.subscribe(() => {
    const at = Date.now();
    if (at - before > silentAfterMs) act();
    before = at;
  });
}

async function refusal(answer: Response): Promise<ApiProblem> {
  const body: unknown = await answer.json().catch(() => ({}));
  const code =
    body !== null && typeof body === 'object' && 'code' in body ? Number(body.code) : answer.status;
  return new ApiProblem(code, answer.statusText);
}

/** Reads until the body ends, nothing came for `silentAfterMs`, or `ending` aborts. */
async function readAll(
  body: ReadableStream<Uint8Array>,
  ending: AbortSignal,
  onEvent: (id: string | undefined, data: unknown) => void,
): Promise<void> {
  const read = createEventReader();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  let silence = setTimeout(cancel, silentAfterMs);
  try {
    while (!ending.aborted) {
      const piece = await reader.read();
      if (piece.done) break;
      clearTimeout(silence);
      silence = setTimeout(cancel, silentAfterMs);
      heardAt.value = serverNow();
      for (const { id, data } of read(decoder.decode(piece.value, { stream: true })))
        onEvent(id, data === undefined ? undefined : JSON.parse(data));
    }
  } finally {
    clearTimeout(silence);
    cancel();
  }
}

/** Resolves when the tab is shown. */
async function shown(ending: AbortSignal): Promise<void> {
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
 * Waits, at most until the network is back or somebody is in a hurry. `isAway`: the controller could not be reached, so
 * any answer of it ends the wait, too.
 */
async function pause(ms: number, isAway: boolean, ending: AbortSignal): Promise<void> {
  if (ending.aborted) return;
  const events: readonly EndOfWait[] = [
    [person, 'now'],
    [window, 'online'],
    [ending, 'abort'],
  ];
  await firstEvent(isAway ? [...events, [goodAnswers, 'answer']] : events, ms);
}
