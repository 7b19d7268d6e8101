import { expect, test } from 'vitest';
import { createStrangerLoad, strangerSlots } from './stranger-load.ts';

const never = new AbortController().signal;
const read = { signal: never, sent: AbortSignal.abort() };
const nextIteration = () => new Promise<void>((resolve) => setImmediate(resolve));
const refusal = 'Too many requests without a key are waiting.';
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof Error ? error.message : ''),
  );
const countOf = (outcomes: readonly string[], outcome: string) =>
  outcomes.filter((each) => each === outcome).length;

test('of one network that does not read a bounded number is answered, and others keep their places', async () => {
  const load = createStrangerLoad();
  const gone = new AbortController();
  const unread = { signal: gone.signal, sent: gone.signal };
  const results = Array.from({ length: 100 }, (_, i) =>
    outcomeOf(load.run('documents', `2001:db8::${i.toString(16)}`, async () => i, unread)),
  );
  await nextIteration();
  expect(await load.run('documents', '2001:db8:0:1::1', async () => 'answered', read)).toBe('answered');
  gone.abort(new Error('gone'));
  const outcomes = await Promise.all(results);
  const { running, waiting } = strangerSlots.network;
  expect(countOf(outcomes, 'answered')).toBe(running);
  expect(countOf(outcomes, 'gone')).toBe(waiting);
  expect(countOf(outcomes, refusal)).toBe(100 - running - waiting);
});

test.for(['documents', 'pages', 'signIn', 'provider'] as const)(
  'answers that very many networks do not read keep nobody else from %s',
  async (purpose) => {
    const load = createStrangerLoad();
    const unread = { signal: never, sent: never };
    const results = Array.from({ length: 400 }, (_, i) =>
      outcomeOf(load.run(purpose, `198.51.${i % 100}.7`, async () => i, unread)),
    );
    expect(countOf(await Promise.all(results), 'answered')).toBe(400);
    expect(await load.run(purpose, '203.0.113.9', async () => 'answered', read)).toBe('answered');
  },
);

test('requests that are long in work take the places of their purpose only', async () => {
  const load = createStrangerLoad();
  const { promise, resolve } = Promise.withResolvers<void>();
  const crowd = Array.from({ length: 40 }, (_, i) =>
    load.run('provider', `198.51.100.${i}`, () => promise, read),
  );
  await nextIteration();
  for (const purpose of ['documents', 'pages', 'signIn'] as const)
    expect(await load.run(purpose, '198.51.100.1', async () => 'answered', read)).toBe('answered');
  resolve();
  await Promise.all(crowd);
});

test('a newcomer is next, and is not refused, where a great network has all places and all that wait', async () => {
  const load = createStrangerLoad();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (address: string) => () =>
    new Promise<void>((resolve) => {
      begun.push(address);
      ends.push(resolve);
    });
  const crowd = Array.from({ length: 1_500 }, (_, i) => {
    const address = `2001:db8:5:${(i % 800).toString(16)}::1`;
    return outcomeOf(load.run('signIn', address, work(address), read));
  });
  await nextIteration();
  expect(begun).toHaveLength(strangerSlots.all.running);
  const one = load.run('signIn', '2001:db8:6::1', work('newcomer'), read);
  await nextIteration();
  ends.shift()?.();
  await nextIteration();
  expect(begun.at(-1)).toBe('newcomer');
  for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
    end();
    await nextIteration();
  }
  await one;
  const outcomes = await Promise.all(crowd);
  expect(countOf(outcomes, refusal)).toBe(1_500 - strangerSlots.all.running - strangerSlots.all.waiting + 1);
});
