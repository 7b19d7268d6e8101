import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFakeClock } from '../testing/index.ts';
import { createCoalescer } from './coalescer.ts';

test('work under one key is shared by those who call while other work runs, and begins after their calls', async () => {
  const shared = createCoalescer<number>({ clock: createFakeClock(0) });
  const begun: PromiseWithResolvers<number>[] = [];
  const work = () => {
    const own = Promise.withResolvers<number>();
    begun.push(own);
    return own.promise;
  };
  const first = shared.run('a', work);
  const [second, third] = [shared.run('a', work), shared.run('a', work)];
  expect(begun).toHaveLength(1);
  begun[0]?.resolve(1);
  expect(await first).toBe(1);
  expect(begun).toHaveLength(2);
  const fourth = shared.run('a', work);
  begun[1]?.resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  begun[2]?.resolve(3);
  expect(await fourth).toBe(3);
});

test('work that fails fails for those who shared it, and the next one runs', async () => {
  const shared = createCoalescer<string>({ clock: createFakeClock(0) });
  const failing = shared.run('a', async () => {
    throw new Error('away');
  });
  const next = shared.run('a', async () => 'here');
  await expect(failing).rejects.toThrow('away');
  expect(await next).toBe('here');
  expect(await shared.run('a', async () => 'again')).toBe('again');
});

test('work under other keys does not wait', async () => {
  const shared = createCoalescer<string>({ clock: createFakeClock(0) });
  const slow = Promise.withResolvers<string>();
  const first = shared.run('a', () => slow.promise);
  expect(await shared.run('b', async () => 'b')).toBe('b');
  slow.resolve('a');
  expect(await first).toBe('a');
});

test('nobody waits for work that may never end', async () => {
  const clock = createFakeClock(0);
  const shared = createCoalescer<string>({ clock });
  const hung = Promise.withResolvers<string>();
  const first = shared.run('a', () => hung.promise);
  const waiting = shared.run('a', async () => 'waited');
  await clock.advance(1_001);
  const slow = Promise.withResolvers<string>();
  const newcomer = shared.run('a', () => slow.promise);
  const after = shared.run('a', async () => 'after');
  slow.resolve('new');
  expect(await Promise.all([newcomer, after])).toEqual(['new', 'after']);
  hung.resolve('late');
  expect(await Promise.all([first, waiting])).toEqual(['late', 'waited']);
  expect(await shared.run('a', async () => 'again')).toBe('again');
});

/**
 * A caller that changes something before it reads, or the end of a reading; half of the calls and ends come a second
 * later.
 */
const step = fc.record({
  key: fc.constantFrom('a', 'b'),
  what: fc.constantFrom('call', 'end', 'fail'),
  isLater: fc.boolean(),
});

test('whoever calls gets what stood after its call, and nobody waits for ever', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      const clock = createFakeClock(0);
      const shared = createCoalescer<number>({ clock });
      const open: { readonly key: string; readonly end: PromiseWithResolvers<void> }[] = [];
      const answers: Promise<boolean>[] = [];
      let changes = 0;
      const work = (key: string) => async () => {
        const seen = changes;
        const own = { key, end: Promise.withResolvers<void>() };
        open.push(own);
        await own.end.promise;
        return seen;
      };
      const end = (key: string, isGood: boolean) => {
        const at = open.findIndex((each) => each.key === key);
        if (at < 0) return;
        const [ended] = open.splice(at, 1);
        if (isGood) ended?.end.resolve();
        else ended?.end.reject(new Error('away'));
      };
      for (const { key, what, isLater } of steps) {
        if (isLater) await clock.advance(1_001);
        if (what === 'call') {
          changes += 1;
          const own = changes;
          const answer = shared.run(key, work(key));
          answers.push(
            answer.then(
              (seen) => seen >= own,
              () => true,
            ),
          );
        } else end(key, what === 'end');
        await new Promise(setImmediate);
      }
      while (open.length > 0) {
        for (const { key } of [...open]) end(key, true);
        await new Promise(setImmediate);
      }
      expect(await Promise.all(answers)).toEqual(answers.map(() => true));
    }),
  );
});
