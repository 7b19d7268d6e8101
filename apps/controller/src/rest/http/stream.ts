import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Clock } from '@vantage/kernel';
import { Problem, problemCode } from './problem.ts';

/**
 * A stream asks this often whether its key is still good; what is known of a key is forgotten after 4 seconds at the
 * latest.
 */
const askMs = 900;
/** A reader that takes nothing for so long is cut off. */
const stalledMs = 60_000;
/** Time for the last bytes of a stream that ends. */
const graceMs = 500;

/**
 * The bytes of an answer that goes on: the signal of `chunks` ends it when the caller goes away, `ending` aborts, or
 * `stillAllowed` says that the key is no longer good. Memory is bounded: the next chunk is asked for when the reader
 * has taken the one before.
 */
export function streamBody({
  chunks,
  response,
  ending,
  stillAllowed,
  clock,
}: {
  readonly chunks: (signal: AbortSignal) => AsyncIterable<string>;
  readonly response: ServerResponse;
  readonly ending: AbortSignal;
  /** Rejects with a Problem when the key is no longer good. */
  readonly stillAllowed: () => Promise<unknown>;
  readonly clock: Clock;
}): Readable {
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
      await clock.sleep(askMs, over.signal).catch(() => {});
      if (over.signal.aborted) return;
      if (waits && clock.monoMs() - takenMs > stalledMs) return end();
      await stillAllowed().catch((error: unknown) => {
        // With the database away nobody can say that a key is bad, and there is nothing to send.
        if (error instanceof Problem && error.code === problemCode.key) end();
      });
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
  return Readable.from(pull(), { objectMode: false, highWaterMark: 16_384 });
}
