import { describe, expect, it } from 'vitest';
import { createKeyLoad, keySlots } from './key-load.ts';

const never = new AbortController().signal;
/** The answers are sent at once. */
const sent = AbortSignal.abort(new Error('sent'));
const stays = { signal: never, sent };

describe('what a key has under way', () => {
  it('16 of its requests run, 64 wait, more get 1006; other keys do not notice', async () => {
    const load = createKeyLoad();
    const { promise, resolve } = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await promise;
      running -= 1;
    };
    const all = Array.from({ length: 100 }, () => load.run(1, work, stays));
    const settled = Promise.allSettled(all);
    expect(await load.run(2, async () => 'served', stays)).toBe('served');
    resolve();
    const refused = (await settled).filter(({ status }) => status === 'rejected');
    expect([most, refused.length]).toEqual([keySlots.running, 20]);
    expect(refused[0]).toMatchObject({ reason: { code: 1006, headers: { 'Retry-After': '1' } } });
    expect(await load.run(1, async () => 'again', stays)).toBe('again');
  });

  it('a caller that is gone waits no longer', async () => {
    const load = createKeyLoad();
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = Array.from({ length: keySlots.running }, () => load.run(1, () => promise, stays));
    const gone = new AbortController();
    const waiting = load.run(1, async () => 'ran', { signal: gone.signal, sent });
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    resolve();
    await Promise.all(all);
  });

  it('follows 16 streams, and a new one when one is closed', () => {
    const load = createKeyLoad();
    const open = Array.from({ length: keySlots.streams }, () => new AbortController());
    for (const { signal } of open) load.stream(1, signal);
    expect(() => load.stream(1, never)).toThrow(/16 streams/);
    load.stream(2, never);
    open[0]?.abort();
    load.stream(1, never);
    expect(() => load.stream(1, never)).toThrow(/16 streams/);
  });
});
