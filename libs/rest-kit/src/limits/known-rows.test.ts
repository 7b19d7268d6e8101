import { createFakeClock } from '@vantage/kernel/testing';
import type { Db } from '@vantage/storage';
import { describe, expect, it } from 'vitest';
import { createKnownRows } from './known-rows.ts';

const hashOf = (n: number) => {
  const hash = Buffer.alloc(32);
  hash.writeUInt32BE(n);
  return hash;
};

/** Rows of which every credential has one; `reads` are the numbers that were read. */
function scene({ seesOwnChanges = false } = {}) {
  const clock = createFakeClock();
  const reads: number[] = [];
  const rows = createKnownRows({
    read: async (hash) => {
      reads.push(Buffer.from(hash).readUInt32BE());
      return { hash };
    },
    seesOwnChanges: () => seesOwnChanges,
    clock,
  });
  /** The numbers that are read for these requests. */
  const readFor = async (...numbers: readonly number[]) => {
    reads.length = 0;
    for (const n of numbers) await rows.find(hashOf(n), '192.0.2.1');
    return [...reads];
  };
  return { clock, rows, reads, readFor };
}

describe('the row of a credential', () => {
  it('is read again after 4 s', async () => {
    const { clock, readFor } = scene();
    expect(await readFor(1, 1)).toEqual([1]);
    await clock.advance(3_999);
    expect(await readFor(1)).toEqual([]);
    await clock.advance(1);
    expect(await readFor(1, 1)).toEqual([1]);
  });

  it('is read at once after it was forgotten, and each time in a transaction that changed an account', async () => {
    const { rows, readFor } = scene();
    await readFor(1, 2);
    rows.forget((row) => Buffer.from(row.hash).readUInt32BE() === 1);
    expect(await readFor(1, 2)).toEqual([1]);
    const { rows: ofBatch, reads } = scene({ seesOwnChanges: true });
    const batch = { kind: 'batch' } as unknown as Db;
    for (const n of [1, 1]) await ofBatch.findAgain(hashOf(n), '192.0.2.1', batch);
    expect(reads).toEqual([1, 1]);
  });

  it('is kept until 10,000 others were used after it', async () => {
    const { clock, readFor } = scene();
    await readFor(...Array.from({ length: 10_000 }, (_, n) => n));
    expect(await readFor(0)).toEqual([]);
    expect(await readFor(10_000, 0, 2, 1)).toEqual([10_000, 1]);
    await clock.advance(4_000);
    // One that is read again takes the place of no other.
    expect(await readFor(0, 0, 10_000, 10_001, 4)).toEqual([0, 10_000, 10_001, 4]);
    expect(await readFor(0)).toEqual([]);
  });

  it('of another credential is none', async () => {
    const known = createKnownRows({
      read: async () => ({ hash: hashOf(2) }),
      seesOwnChanges: () => false,
      clock: createFakeClock(),
    });
    expect(await known.find(hashOf(1), '192.0.2.1')).toBeUndefined();
    expect(await known.find(hashOf(2), '192.0.2.1')).toEqual({ hash: hashOf(2) });
  });
});

it('3 unknown credentials are looked up and 500 wait; more are refused, and known ones are not', async () => {
  const clock = createFakeClock();
  const { promise, resolve } = Promise.withResolvers<void>();
  let running = 0;
  const known = createKnownRows({
    read: async (hash) => {
      running += 1;
      if (Buffer.from(hash).readUInt32BE() > 0) await promise;
      return { hash };
    },
    seesOwnChanges: () => false,
    clock,
  });
  await known.find(hashOf(0), '192.0.2.1');
  await clock.advance(5_000);
  running = 0;
  const all = Array.from({ length: 510 }, (_, n) => known.find(hashOf(n + 1), `198.51.100.${n % 100}`));
  const settled = Promise.allSettled(all);
  expect(await known.find(hashOf(0), '192.0.2.1')).toEqual({ hash: hashOf(0) });
  expect(running).toBe(4);
  resolve();
  const refused = (await settled).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(7);
  expect(refused[0]).toMatchObject({ reason: { code: 1006, headers: { 'Retry-After': '1' } } });
});
