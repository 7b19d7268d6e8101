import { expect, test } from 'vitest';
import { accountSlots, createAccountLoad } from './account-load.ts';

const never = new AbortController().signal;
const nextIteration = () => new Promise<void>((resolve) => setImmediate(resolve));
const routes = {
  reads: {},
  history: { readsHistory: true },
  wide: { readsHistory: true, isWide: true },
} as const;

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
    const all = Array.from({ length: running + waiting }, () => load.run(routes[kind], 1, work, never));
    await nextIteration();
    expect(begun).toBe(running);
    await expect(load.run(routes[kind], 1, work, never)).rejects.toThrow('Too many reads of this account');
    expect(await load.run(routes[kind], 2, async () => 'another account', never)).toBe('another account');
    for (const other of ['reads', 'history', 'wide'] as const)
      if (other !== kind)
        expect(await load.run(routes[other], 1, async () => 'another kind', never)).toBe('another kind');
    resolve();
    await Promise.all(all);
    expect(begun).toBe(running + waiting);
  },
);
