import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createConnectionLimiter } from './connection-guard.ts';

const limits = { inAll: 6, perAddress: 4, waitingInAll: 4, waitingPerAddress: 2, freshMs: 2_000 };

describe('connections of the agents’ port', () => {
  test('of the connections that wait too long the oldest is closed, so that an agent gets in', () => {
    const book = createConnectionLimiter<string>(limits);
    book.enter('idle 1', 'a', 0);
    book.enter('idle 2', 'a', 1_000);
    expect(book.enter('agent', 'a', 1_500).kind).toBe('refused');
    expect(book.enter('agent', 'a', 2_500)).toEqual({ kind: 'open', close: 'idle 1' });
  });

  test('a connection that serves an agent is never closed for another', () => {
    const book = createConnectionLimiter<string>(limits);
    book.enter('agent', 'a', 0);
    book.serves('agent');
    book.enter('idle 1', 'a', 1);
    book.enter('idle 2', 'a', 2);
    expect(book.enter('idle 3', 'a', 60_000)).toEqual({ kind: 'open', close: 'idle 1' });
  });

  test('after its stream a connection waits anew', () => {
    const book = createConnectionLimiter<string>(limits);
    book.enter('first', 'a', 0);
    book.serves('first');
    book.enter('second', 'a', 0);
    book.waits('first', 5_000);
    expect(book.enter('third', 'a', 6_000)).toEqual({ kind: 'open', close: 'second' });
  });

  test('property: no limit is ever exceeded, and closed connections are forgotten', () => {
    const step = fc.record({
      kind: fc.constantFrom('enter', 'enter', 'enter', 'serves', 'waits', 'leave'),
      address: fc.constantFrom('a', 'b', 'c'),
      which: fc.nat(),
      laterMs: fc.nat(3_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const book = createConnectionLimiter<number>(limits);
        const open = new Map<number, { address: string; waits: boolean }>();
        let nowMs = 0;
        let next = 0;
        for (const { kind, address, which, laterMs } of steps) {
          nowMs += laterMs;
          const id = [...open.keys()][which % Math.max(1, open.size)];
          if (kind === 'enter') {
            next += 1;
            const entry = book.enter(next, address, nowMs);
            if (entry.kind === 'open') {
              if (entry.close !== undefined) {
                expect(open.get(entry.close)?.waits).toBe(true);
                open.delete(entry.close);
              }
              open.set(next, { address, waits: true });
            }
          } else if (id !== undefined) {
            const one = open.get(id);
            if (kind === 'serves') book.serves(id);
            else if (kind === 'waits') book.waits(id, nowMs);
            else book.leave(id);
            if (kind === 'leave') open.delete(id);
            else if (one) one.waits = kind === 'waits';
          }
          const all = [...open.values()];
          const ofOne = all.filter((one) => one.address === address);
          expect(book.size).toBe(all.length);
          expect(all.length).toBeLessThanOrEqual(limits.inAll);
          expect(ofOne.length).toBeLessThanOrEqual(limits.perAddress);
        }
      }),
    );
  });
});
