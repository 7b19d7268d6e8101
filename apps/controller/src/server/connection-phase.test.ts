import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ConnectionFacts,
  type ConnectionPhase,
  isOverdue,
  nextPhase,
  phaseLimits,
} from './connection-phase.ts';

const quiet: ConnectionFacts = {
  begun: 0,
  incomplete: 0,
  unanswered: 0,
  isHandedOver: false,
  pendingBytes: 0,
  bytesRead: 0,
};
const limitMs = phaseLimits.firstByteMs + phaseLimits.handshakeMs + phaseLimits.requestMs;

describe('the phase of a connection', () => {
  const from = { kind: 'receiving', sinceMs: 0, begun: 0 } as const;
  const idle = { kind: 'idle', sinceMs: 5, bytesRead: 100 } as const;
  test.each<[string, ConnectionPhase, Partial<ConnectionFacts>, ConnectionPhase]>([
    ['half a header keeps its begin', from, { bytesRead: 9 }, from],
    ['half a body keeps the begin of its header', from, { begun: 1, incomplete: 1, unanswered: 1 }, from],
    ['a whole request is answered', from, { begun: 1, unanswered: 1 }, { kind: 'answering' }],
    [
      'an early answer to half a body changes nothing',
      from,
      { begun: 1, incomplete: 1, isHandedOver: true },
      from,
    ],
    [
      'a whole answer is to be taken',
      { kind: 'answering' },
      { begun: 1, unanswered: 1, isHandedOver: true, pendingBytes: 7 },
      { kind: 'sending', sinceMs: 9, bytes: 7 },
    ],
    [
      'a quick request was answered since',
      from,
      { begun: 1, bytesRead: 3 },
      { ...idle, sinceMs: 9, bytesRead: 3 },
    ],
    ['idle stays idle', idle, { begun: 1, bytesRead: 100 }, idle],
    [
      'a byte ends the idle time',
      idle,
      { begun: 1, bytesRead: 101 },
      { kind: 'receiving', sinceMs: 9, begun: 1 },
    ],
  ])('%s', (_name, before, facts, after) => {
    expect(nextPhase(before, { ...quiet, ...facts }, 9)).toEqual(after);
  });

  test('a connection that never sends a complete request is overdue within 75 seconds, whatever it sends', () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 1_000 }),
      bytes: fc.integer({ min: 0, max: 3 }),
      header: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.boolean(), fc.array(step, { minLength: 200, maxLength: 400 }), (tls, steps) => {
        let nowMs = 0;
        let phase: ConnectionPhase = { kind: 'silent', sinceMs: 0 };
        let facts = quiet;
        for (const { afterMs, bytes, header } of steps) {
          nowMs += afterMs;
          if (isOverdue(phase, nowMs, phaseLimits)) {
            expect(nowMs).toBeLessThanOrEqual(limitMs + 1_000);
            return;
          }
          if (phase.kind === 'silent' && bytes > 0)
            phase = { kind: tls ? 'handshake' : 'receiving', sinceMs: nowMs, begun: 0 };
          else if (phase.kind === 'handshake' && bytes > 1)
            phase = { kind: 'receiving', sinceMs: nowMs, begun: 0 };
          else if (phase.kind !== 'silent' && phase.kind !== 'handshake') {
            const begun = header ? 1 : facts.begun;
            facts = {
              ...facts,
              begun,
              incomplete: begun,
              unanswered: begun,
              bytesRead: facts.bytesRead + bytes,
            };
            phase = nextPhase(phase, facts, nowMs);
          }
        }
        expect(nowMs).toBeLessThan(limitMs + 1_000);
      }),
    );
  });

  test('a connection whose answer is worked on is never overdue; one that does not take it is, by its size', () => {
    expect(isOverdue({ kind: 'answering' }, 1e9, phaseLimits)).toBe(false);
    const sending = (bytes: number) => ({ kind: 'sending', sinceMs: 0, bytes }) as const;
    expect(isOverdue(sending(1_000), 59_000, phaseLimits)).toBe(false);
    expect(isOverdue(sending(1_000), 61_000, phaseLimits)).toBe(true);
    expect(isOverdue(sending(32_768 * 100), 159_000, phaseLimits)).toBe(false);
    expect(isOverdue(sending(32_768 * 100), 160_000, phaseLimits)).toBe(true);
  });
});
