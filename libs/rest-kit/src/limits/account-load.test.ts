import { expect, test } from 'vitest';
import { accountSlots, createAccountLoad } from './account-load.ts';

const never = new AbortController().signal;
const nextIteration = () => new Promise<void>((resolve) => setImmediate(resolve));
const routes = {
  reads: {},
  history: { readsHistory: true },
  wide: { readsHistory: true, isWide: true },
} as const;
const read = (kind: keyof typeof routes, accountNo: number) => ({
  route: routes[kind],
  query: new URLSearchParams(),
  accountNo,
});

test.for(['reads', 'history', 'wide'] as const)(
  'of one account a bounded number of %s is in work, whatever its keys; others have their own places',
  async (kind) => {
    const load = createAccountLoad();
    const { promise, resolve } = Promise.withResolvers<void>();
    const { running, waiting } = accountSlots[kind].perOwner;
    let begun = 0;
    const work = async () => {
      begun += 1;
      await promise;
    };
    const all = Array.from({ length: running + waiting }, () => load.run(read(kind, 1), work, never));
    await nextIteration();
    expect(begun).toBe(running);
    await expect(load.run(read(kind, 1), work, never)).rejects.toThrow('Too many reads of this account');
    expect(await load.run(read(kind, 2), async () => 'another account', never)).toBe('another account');
    for (const other of ['reads', 'history', 'wide'] as const)
      if (other !== kind)
        expect(await load.run(read(other, 1), async () => 'another kind', never)).toBe('another kind');
    resolve();
    await Promise.all(all);
    expect(begun).toBe(running + waiting);
  },
);

test('a route whose answer is wide for some queries only has places of both kinds', async () => {
  const load = createAccountLoad();
  const route = { isWide: (query: URLSearchParams) => query.get('Limit') === '10000' };
  const run = (text: string, work: () => Promise<string>) =>
    load.run({ route, query: new URLSearchParams(text), accountNo: 1 }, work, never);
  const { promise, resolve } = Promise.withResolvers<string>();
  const first = run('Limit=10000', () => promise);
  let isSecondBegun = false;
  const second = run('Limit=10000', async () => {
    isSecondBegun = true;
    return 'second';
  });
  expect(await run('Limit=100', async () => 'few rows')).toBe('few rows');
  expect(isSecondBegun).toBe(false);
  resolve('first');
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
});
