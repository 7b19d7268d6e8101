import { expect, test } from 'vitest';
import { onAbort, whenAborted } from './abort-signal.ts';

test('every listener that was not disposed is called once when the signal aborts', () => {
  const controller = new AbortController();
  const called: number[] = [];
  const listening = [0, 1, 2, 3].map((no) => onAbort(controller.signal, () => called.push(no)));
  listening[1]?.[Symbol.dispose]();
  controller.abort();
  controller.abort();
  expect(called).toEqual([0, 2, 3]);
});

test('a signal has one listener of its own, however many share it', () => {
  const controller = new AbortController();
  const { signal } = controller;
  let added = 0;
  const add = signal.addEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    added += 1;
    add(...args);
  };
  for (let no = 0; no < 1000; no += 1) onAbort(signal, () => undefined);
  expect(added).toBe(1);
});

test('a wait for an abort that happened earlier ends at once', async () => {
  await whenAborted(AbortSignal.abort());
  const controller = new AbortController();
  const waiting = whenAborted(controller.signal);
  controller.abort();
  await waiting;
});
