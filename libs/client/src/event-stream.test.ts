import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { maxSilenceMs, readEventStream } from './event-stream.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A body that sends one text and stays open. */
function openBody(text: string) {
  const cancelled = vi.fn();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    cancel: cancelled,
  });
  return { body, cancelled };
}

async function readAll(body: ReadableStream<Uint8Array>, signal: AbortSignal, onData = () => {}) {
  const ids: (string | undefined)[] = [];
  for await (const { id } of readEventStream(body, signal, onData)) ids.push(id);
  return ids;
}

test('a stream that is silent for too long ends, and its body is cancelled', async () => {
  const { body, cancelled } = openBody('id: a\ndata: 1\n\n');
  const onData = vi.fn();
  const reading = readAll(body, new AbortController().signal, onData);
  await vi.advanceTimersByTimeAsync(maxSilenceMs - 1);
  expect(cancelled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2);
  expect(await reading).toEqual(['a']);
  expect(cancelled).toHaveBeenCalledOnce();
  expect(onData).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test('an abort ends a stream at once', async () => {
  const { body, cancelled } = openBody(':\n');
  const ending = new AbortController();
  const reading = readAll(body, ending.signal);
  await vi.advanceTimersByTimeAsync(1);
  ending.abort();
  expect(await reading).toEqual([]);
  expect(cancelled).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});
