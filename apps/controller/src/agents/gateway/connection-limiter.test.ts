import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createConnectionLimiter } from './connection-limiter.ts';

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

  test('property: each decision is the one that the limits ask for', () => {
    const few = { inAll: 5, perAddress: 3, waitingInAll: 3, waitingPerAddress: 2, freshMs: 2_000 };
    const step = fc.record({
      kind: fc.constantFrom('enter', 'enter', 'enter', 'serves', 'serves', 'waits', 'leave'),
      address: fc.constantFrom('a', 'a', 'b', 'c'),
      which: fc.nat(9),
      laterMs: fc.constantFrom(0, 1, 1_000, 2_000, 2_001),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const book = createConnectionLimiter<number>(few);
        let model: Connection[] = [];
        let nowMs = 0;
        for (const [at, { kind, address, which, laterMs }] of steps.entries()) {
          nowMs += laterMs;
          const one = model[which % Math.max(1, model.length)];
          if (kind === 'enter') {
            const wanted = entryOf(model, few, { address, nowMs });
            expect(book.enter(at, address, nowMs)).toEqual(wanted);
            if (wanted.kind === 'open')
              model = [
                ...model.filter(({ id }) => id !== wanted.close),
                { id: at, address, waitsSinceMs: nowMs },
              ];
          } else if (one !== undefined) {
            // The list is in the order in which the connections began to wait.
            model = model.filter((each) => each !== one);
            if (kind === 'leave') book.leave(one.id);
            else if (kind === 'serves') book.serves(one.id);
            else book.waits(one.id, nowMs);
            if (kind !== 'leave') model.push({ ...one, waitsSinceMs: kind === 'serves' ? undefined : nowMs });
          }
          expect(book.size).toBe(model.length);
        }
      }),
    );
  });
});

interface Connection {
  readonly id: number;
  readonly address: string;
  /** Undefined: it serves an agent. */
  readonly waitsSinceMs: number | undefined;
}

/** The decision on a new connection, from a list of those that are there, the one that waits longest first. */
function entryOf(
  model: readonly Connection[],
  most: typeof limits,
  { address, nowMs }: { readonly address: string; readonly nowMs: number },
) {
  const refused = (reason: string) => ({ kind: 'refused' as const, reason });
  const isOwn = (one: Connection) => one.address === address;
  if (model.length >= most.inAll) return refused('too many');
  if (model.filter(isOwn).length >= most.perAddress) return refused('too many of this address');
  const waiting = model.filter(({ waitsSinceMs }) => waitsSinceMs !== undefined);
  const isFull = waiting.filter(isOwn).length >= most.waitingPerAddress;
  if (!isFull && waiting.length < most.waitingInAll) return { kind: 'open' as const, close: undefined };
  const [oldest] = isFull ? waiting.filter(isOwn) : waiting;
  return oldest?.waitsSinceMs !== undefined && nowMs - oldest.waitsSinceMs > most.freshMs
    ? { kind: 'open' as const, close: oldest.id }
    : refused('too many without a stream');
}
