import { Goodbye_Reason } from '@vantage/proto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterEvent, nextStep, openedSession, type SessionEvent } from './session-state.ts';

const nowMs = fc.nat(20_000);
const event: fc.Arbitrary<SessionEvent> = fc.oneof(
  fc.record({
    kind: fc.constant('leave' as const),
    goodbye: fc.record({ reason: fc.constant(Goodbye_Reason.SHUTDOWN), text: fc.string() }),
  }),
  fc.record({ kind: fc.constantFrom('goodbyeSent' as const, 'unresponsive' as const, 'gone' as const) }),
  fc.record({
    kind: fc.constant('changed' as const),
    list: fc.constantFrom('plan' as const, 'runRequests' as const),
  }),
  fc.record({
    kind: fc.constantFrom('planBegan' as const, 'planSent' as const, 'readFailed' as const),
    nowMs,
  }),
  fc.record({ kind: fc.constant('runRequestsBegan' as const) }),
);
/** The states of a session, from its opening to the last of some events. */
const states = fc.array(event, { maxLength: 30, size: 'max' }).map((events) => {
  let state = openedSession;
  return [state, ...events.map((next) => (state = afterEvent(state, next)))];
});
const aState = states.map((all) => all.at(-1) ?? openedSession);
const quiet = { hasAnswer: false, isBatchInWork: false };

test('a session goes from open over leaving to ended and never back, and only an end changes whether it was cut', () => {
  const rank = { open: 0, leaving: 1, ended: 2 };
  fc.assert(
    fc.property(states, (all) => {
      all.slice(1).forEach((state, i) => {
        const before = all[i] ?? openedSession;
        expect(rank[state.stage.kind]).toBeGreaterThanOrEqual(rank[before.stage.kind]);
        if (before.stage.kind === state.stage.kind) expect(state.stage).toEqual(before.stage);
      });
    }),
  );
});

test('an ended session sends the answers that wait and nothing else', () => {
  fc.assert(
    fc.property(aState, nowMs, fc.boolean(), (state, at, isBatchInWork) => {
      const ended = afterEvent(state, { kind: 'gone' });
      expect(nextStep(ended, { hasAnswer: true, isBatchInWork, nowMs: at }).kind).toBe('answer');
      expect(nextStep(ended, { hasAnswer: false, isBatchInWork, nowMs: at }).kind).toBe('end');
    }),
  );
});

test('a session that leaves begins no list and says goodbye as soon as no batch is in work', () => {
  fc.assert(
    fc.property(aState, nowMs, (state, at) => {
      fc.pre(state.stage.kind === 'leaving');
      expect(nextStep(state, { ...quiet, nowMs: at }).kind).toBe('goodbye');
      const busy = nextStep(state, { ...quiet, isBatchInWork: true, nowMs: at });
      expect(busy.kind).toBe(state.planSinceMs === undefined ? 'wait' : 'plan');
    }),
  );
});

test('an open session forgets no changed list: it reads the list at once or waits for a time at which it does', () => {
  fc.assert(
    fc.property(
      aState,
      nowMs,
      fc.constantFrom('plan' as const, 'runRequests' as const),
      (state, at, list) => {
        fc.pre(state.stage.kind === 'open');
        let next = afterEvent(state, { kind: 'changed', list });
        let atMs = at;
        for (let steps = 0; next.changed[list]; steps += 1) {
          expect(steps).toBeLessThan(10);
          const step = nextStep(next, { ...quiet, nowMs: atMs });
          if (step.kind === 'wait') {
            expect(step.untilMs).toBeGreaterThan(atMs);
            atMs = step.untilMs ?? 0;
          } else if (step.kind === 'runRequests') next = afterEvent(next, { kind: 'runRequestsBegan' });
          else if (next.planSinceMs === undefined)
            next = afterEvent(next, { kind: 'planBegan', nowMs: atMs });
          else next = afterEvent(next, { kind: 'planSent', nowMs: atMs });
        }
      },
    ),
  );
});

test('after a failed read both lists are read again, not before a second has passed', () => {
  fc.assert(
    fc.property(aState, nowMs, fc.nat(999), (state, at, laterMs) => {
      fc.pre(state.stage.kind === 'open');
      const failed = afterEvent(state, { kind: 'readFailed', nowMs: at });
      expect(failed.changed).toEqual({ plan: true, runRequests: true });
      expect(nextStep(failed, { ...quiet, nowMs: at + laterMs }).kind).toBe('wait');
    }),
  );
});
