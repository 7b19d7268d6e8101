import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Clock } from '@vantage/kernel';

/** A reader that takes nothing for this long is cut off. */
const stalledMs = 60_000;
/** A reader is checked at this interval. */
const lookMs = 900;
/** Time for the last bytes of a stream that ends. */
const graceMs = 500;

/**
 * The bytes of an answer without a fixed end. The signal of `chunks` aborts when the caller disconnects, `ending`
 * aborts, or `end` is called. Memory is bounded, because a chunk is read only after the reader has taken the
 * previous one.
 */
export function streamBody({
  chunks,
  response,
  ending,
  clock,
}: {
  readonly chunks: (signal: AbortSignal) => AsyncIterable<string>;
  readonly response: ServerResponse;
  readonly ending: AbortSignal;
  readonly clock: Clock;
}): { readonly body: Readable; readonly end: () => void } {
  const over = new AbortController();
  let takenMs = clock.monoMs();
  let waits = false;
  const pull = async function* () {
    // A caller of a quiet stream learns at once that it is open.
    if (!response.headersSent) response.flushHeaders();
    for await (const chunk of chunks(over.signal)) {
      takenMs = clock.monoMs();
      waits = true;
      yield Buffer.from(chunk);
      waits = false;
    }
  };
  const end = () => {
    if (over.signal.aborted) return;
    over.abort(new Error('the stream ends'));
    // A reader that takes nothing would never see the end.
    const cut = clock.timer(graceMs, () => response.destroy());
    response.once('close', () => cut[Symbol.dispose]());
  };
  const watch = async () => {
    while (!over.signal.aborted) {
      await clock.sleep(lookMs, over.signal).catch(() => {});
      if (waits && clock.monoMs() - takenMs > stalledMs) return end();
    }
  };
  // Node, Koa and we listen for its close about a dozen times; more than ten are no leak here.
  response.setMaxListeners(20);
  ending.addEventListener('abort', end);
  response.once('close', () => {
    ending.removeEventListener('abort', end);
    over.abort(new Error('the caller is gone'));
  });
  if (ending.aborted || response.destroyed) end();
  void watch();
  return { body: Readable.from(pull(), { objectMode: false, highWaterMark: 16_384 }), end };
}
