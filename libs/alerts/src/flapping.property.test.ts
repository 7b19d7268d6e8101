import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AlertFacts } from './alert-facts.ts';
import { type AlertState, newAlertState } from './alert-state.ts';
import { decide } from './decide.ts';
import type { ScheduleStep } from './schedule.ts';
import { afterDown, afterUp } from './status-changes.ts';
import { base, device, minute } from './testing/alert-fixture.ts';

/*
 * A flapping that began at minute 0, walked through minute by minute. The oracle asks at each minute who must hear of
 * it; the product is asked only when a decision is due, and after changes.
 */

/** Minutes from the begin of the flapping: from, to (exclusive). */
type FlapSpan = readonly [number, number];

interface FlapScript {
  /** The device is Down. */
  readonly downs: readonly FlapSpan[];
  readonly steps: readonly ScheduleStep[];
  /** The schedule is taken away. */
  readonly gone: FlapSpan;
  readonly snoozed: FlapSpan;
  readonly acknowledgedAt: number;
}

const firstOutage = -20;
const startUs = 24 * 60 * minute;
const never = 100_000;
const contacts = ['a', 'b', 'c'];

const hour = fc.option(fc.integer({ min: 0, max: 23 }).map((at) => `${String(at).padStart(2, '0')}:00`));
const step: fc.Arbitrary<ScheduleStep> = fc.record({
  delayMinutes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90 })),
  contactIds: fc.uniqueArray(fc.constantFrom(...contacts), { minLength: 1, maxLength: 3 }),
  days: fc.constant(null),
  from: hour,
  to: hour,
  repeatMinutes: fc.option(fc.integer({ min: 5, max: 60 })),
  severities: fc.constant(null),
});
const rarely = (span: fc.Arbitrary<FlapSpan>) =>
  fc.oneof({ arbitrary: fc.constant<FlapSpan>([never, never]), weight: 3 }, { arbitrary: span, weight: 1 });
const span = fc
  .tuple(fc.nat(150), fc.integer({ min: 1, max: 60 }))
  .map(([from, length]): FlapSpan => [from, from + length]);
const script: fc.Arbitrary<FlapScript> = fc.record({
  downs: fc
    .array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 14 })), {
      maxLength: 20,
      size: 'max',
    })
    .map((pairs) => {
      let at = 0;
      return pairs.map(([gap, lasts]): FlapSpan => {
        const from = at + gap;
        at = from + lasts;
        return [from, at];
      });
    }),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  gone: rarely(span),
  snoozed: rarely(span),
  acknowledgedAt: fc.oneof(
    { arbitrary: fc.constant(never), weight: 3 },
    { arbitrary: fc.nat(150), weight: 1 },
  ),
});

const inside = ([from, to]: FlapSpan, at: number) => at >= from && at < to;
const downAt = ({ downs }: FlapScript, at: number) => downs.find((one) => inside(one, at));
const begin: AlertState = {
  ...newAlertState('active', startUs + firstOutage * minute),
  activeUs: startUs + firstOutage * minute,
  past: [-20, -10].map((at) => ({
    activeUs: startUs + at * minute,
    sinceUs: startUs + at * minute,
    upUs: startUs + (at + 3) * minute,
  })),
};

function factsAt(one: FlapScript, at: number): AlertFacts {
  return {
    ...base,
    device: { ...device, status: downAt(one, at) === undefined ? 'Up' : 'Down' },
    schedule: inside(one.gone, at) ? null : { timezone: 'UTC', steps: one.steps },
    acknowledged: at >= one.acknowledgedAt,
    snoozedUntilUs: at >= one.snoozed[0] ? startUs + one.snoozed[1] * minute : null,
    times: { ...base.times, recheckUs: 5 * minute },
    nowUs: startUs + at * minute,
  };
}

/** Who hears of the flapping at each minute, as the product decides. */
function decided(one: FlapScript): readonly string[] {
  const sinceUs = startUs - 3 * minute;
  let state = afterUp(begin, { sinceUs, upUs: startUs, nowUs: startUs });
  let dueUs: number = startUs;
  const lines: string[] = [];
  for (let at = 0; ; at += 1) {
    const nowUs = startUs + at * minute;
    const isChange = one.downs.some((each) => each.includes(at));
    if (isChange && downAt(one, at) !== undefined) ({ state } = afterDown(state, { sinceUs: nowUs, nowUs }));
    else if (isChange) state = afterUp(state, { sinceUs: nowUs, upUs: nowUs, nowUs });
    const isTouched = isChange || [...one.gone, ...one.snoozed, one.acknowledgedAt].includes(at);
    if (!isTouched && nowUs < dueUs) continue;
    const decision = decide(state, factsAt(one, at));
    ({ state } = decision);
    if (state.phase !== 'flapping') return lines;
    dueUs = decision.dueUs ?? Number.POSITIVE_INFINITY;
    lines.push(...linesOf(at, decision.messages));
  }
}

const linesOf = (at: number, messages: ReturnType<typeof decide>['messages']) =>
  messages
    .filter(({ about }) => about === 'flapping')
    .map(({ contactIds }) => `${at} ${contactIds.toSorted().join()}`);

/** The same by brute force. Nobody was notified of the third outage. */
function oracle(one: FlapScript): readonly string[] {
  const lines: string[] = [];
  let sent: (number | null)[] = one.steps.map(() => null);
  const named = new Map<string, number>();
  let changedAt = 0;
  for (let at = 0; at - changedAt < 30; at += 1) {
    if (one.downs.some((each) => each.includes(at))) changedAt = at;
    if (inside(one.gone, at)) sent = one.steps.map(() => null);
    if (inside(one.gone, at) || inside(one.snoozed, at) || at >= one.acknowledgedAt) continue;
    const down = downAt(one, at);
    const hear = new Set<string>();
    for (const [place, { contactIds, delayMinutes, repeatMinutes, from, to }] of one.steps.entries()) {
      if (!isOpenAt(at, from, to)) continue;
      const last = sent[place] ?? null;
      const isDue: boolean =
        last === null
          ? at >= firstOutage + delayMinutes
          : repeatMinutes !== null && at >= last + repeatMinutes;
      if (isDue) sent[place] = at;
      for (const id of contactIds)
        if (isDue || (last !== null && down !== undefined && mustHear(named.get(id), down, at))) hear.add(id);
    }
    if (hear.size === 0) continue;
    if (down !== undefined) for (const id of hear) named.set(id, at);
    lines.push(`${at} ${[...hear].sort().join()}`);
  }
  return lines;
}

function mustHear(named: number | undefined, [fell]: FlapSpan, at: number): boolean {
  if (named !== undefined && named >= fell) return false;
  return at >= fell + 10 || (at >= fell + 2 && (named === undefined || at >= named + 30));
}

/** The play begins at midnight. */
function isOpenAt(at: number, from: string | null, to: string | null): boolean {
  const time = `${String(Math.floor(at / 60) % 24).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
  const [begins, ends] = [from ?? '00:00', to ?? '24:00'];
  return begins < ends ? time >= begins && time < ends : time >= begins || time < ends;
}

const runs = propertyRuns(500);

test('who hears of a flapping, minute by minute, is who a walk through all minutes finds (property)', () => {
  fc.assert(
    fc.property(script, (one) => {
      expect(decided(one)).toEqual(oracle(one));
    }),
    { numRuns: runs },
  );
});

test('without repeats a flapping is said once by each step, at most once in 30 minutes, and for each Down of ten minutes (property)', () => {
  const once = script.map((one) => ({
    ...one,
    gone: [never, never] as const,
    steps: one.steps.map((each) => ({ ...each, repeatMinutes: null })),
  }));
  fc.assert(
    fc.property(once, (one) => {
      const lines = decided(one).map((line) => line.split(' '));
      const longDowns = one.downs.filter(([from, to]) => to - from > 10).length;
      const halfHours = 1 + Math.floor((one.downs.at(-1)?.[1] ?? 0) / 30);
      for (const contact of contacts) {
        const steps = one.steps.filter(({ contactIds }) => contactIds.includes(contact)).length;
        const heard = lines.filter(([, ids]) => ids?.split(',').includes(contact)).length;
        expect(heard).toBeLessThanOrEqual(steps === 0 ? 0 : steps + halfHours + longDowns);
      }
    }),
    { numRuns: runs },
  );
});
