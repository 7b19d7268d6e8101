import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AlertFacts } from './alert-facts.ts';
import { type AlertState, newAlertState } from './alert-state.ts';
import { decide } from './decide.ts';
import { base, device, everybody, master, minute, nowUs } from './testing/alert-fixture.ts';

const step = fc.record({
  status: fc.constantFrom('Up', 'Down', 'Down', 'Down' as const),
  inMaintenance: fc.boolean(),
  master: fc.constantFrom('none', 'Up', 'Down', 'paused'),
  schedule: fc.constantFrom('everybody', 'everybody', 'none', 'unreadable'),
  check: fc.constantFrom('none', 'good', 'bad'),
  minutes: fc.integer({ min: 1, max: 40 }),
});
type DecisionStep = typeof step extends fc.Arbitrary<infer T> ? T : never;

function factsOf(one: DecisionStep, at: number, reason: string | null): AlertFacts {
  const isMaster = one.master !== 'none';
  return {
    ...base,
    device: {
      ...device,
      status: one.status as 'Up' | 'Down',
      maintenanceUntilUs: one.inMaintenance ? at + minute : null,
      master: isMaster
        ? { ...master, enabled: one.master !== 'paused', status: one.master === 'Down' ? 'Down' : 'Up' }
        : null,
    },
    check:
      one.check === 'none'
        ? { kind: 'none' }
        : { kind: 'answered', verdict: one.check === 'good' ? 'good' : 'bad', endUs: at - 1 },
    schedule: one.schedule === 'everybody' ? everybody : one.schedule === 'none' ? null : 'unreadable',
    reason,
    nowUs: at,
  };
}

/** Whether a reason may stand there: it is true of the alert and of the facts of its last decision. */
function isTrue(reason: string, state: AlertState, { schedule, device: of }: AlertFacts): boolean {
  if (of === null || of === 'missing') return false;
  if (reason.includes('is in maintenance')) return state.phase === 'maintenance';
  if (/not verified|not confirmed/.test(reason)) return state.phase === 'active' && state.note === reason;
  if (reason.includes('its master')) return state.phase === 'suppressed';
  if (reason.includes('cannot read'))
    return state.phase === 'active' && (schedule === 'unreadable' || of.maintenanceUntilUs !== null);
  if (reason.includes('no notification schedule')) return schedule === null || of.maintenanceUntilUs !== null;
  return reason.includes('it ended before') && state.phase === 'ended';
}

test('the reason of an alert is true after each decision (property)', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      let state = newAlertState('judging', nowUs, nowUs - minute);
      let reason: string | null = 'a reason of another phase';
      state = { ...state, phase: 'late' };
      let at = nowUs;
      for (const one of steps) {
        at += one.minutes * minute;
        const facts = factsOf(one, at, reason);
        const decision = decide({ ...state, requestId: 'r' }, facts);
        ({ state } = decision);
        const isOld = state.phase === 'late' && reason === decision.reason;
        ({ reason } = decision);
        if (reason !== null && !isOld)
          expect({ reason, is: isTrue(reason, state, facts) }).toEqual({ reason, is: true });
        if (decision.closes) break;
      }
    }),
    { numRuns: 3_000 },
  );
});
