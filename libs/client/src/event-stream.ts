import { createEventReader, type StreamEvent } from './event-lines.ts';

/** The controller sends a line every 15 s. A stream without one for longer than this is dead. */
export const maxSilenceMs = 40_000;

/**
 * The events of the body of an answer. Ends when the body ends, when nothing arrives for `maxSilenceMs`, or when
 * `signal` aborts; the body is then cancelled. `onData` is called for everything that arrives, also for a line that
 * only keeps the stream open.
 */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onData: () => void = () => {},
): AsyncGenerator<StreamEvent, void, undefined> {
  const parse = createEventReader();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  let silence = setTimeout(cancel, maxSilenceMs);
  try {
    while (!signal.aborted) {
      const piece = await reader.read();
      if (piece.done) return;
      clearTimeout(silence);
      silence = setTimeout(cancel, maxSilenceMs);
      onData();
      yield* parse(decoder.decode(piece.value, { stream: true }));
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
