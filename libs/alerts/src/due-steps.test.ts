import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dueSteps, type StepQuestion } from './due-steps.ts';
import type { ScheduleStep } from './schedule.ts';

const minuteUs = 60_000_000;
const plain: ScheduleStep = {
  delayMinutes: 0,
  contactIds: ['a'],
  days: null,
  from: null,
  to: null,
  repeatMinutes: null,
  severities: null,
};
const base: Omit<StepQuestion, 'schedule' | 'nowUs'> = {
  severity: 'critical',
  activeUs: 0,
  progress: [],
  notified: [],
  acknowledged: false,
  snoozedUntilUs: null,
  repeats: true,
  minuteUs,
};

/** Runs the steps until nothing is due; which contacts get a message in which minute. */
function run(steps: readonly ScheduleStep[], question: Partial<StepQuestion> = {}, lastMinute = 3_000) {
  const sent: [number, string][] = [];
  let progress = base.progress;
  let nowUs = question.activeUs ?? 0;
  while (nowUs <= lastMinute * minuteUs) {
    const schedule = { timezone: 'UTC', steps };
    const decision = dueSteps({ ...base, ...question, schedule, progress, nowUs });
    for (const id of decision.contactIds) sent.push([nowUs / minuteUs, id]);
    progress = decision.progress;
    if (decision.nextUs === null) break;
    nowUs = decision.nextUs;
  }
  return sent;
}

const office = { from: '08:00', to: '18:00' };

test.each<[string, Partial<ScheduleStep>[], Partial<StepQuestion>, [number, string][]]>([
  [
    'steps follow each other by their delays',
    [{}, { delayMinutes: 10, contactIds: ['b'] }],
    {},
    [
      [0, 'a'],
      [10, 'b'],
    ],
  ],
  [
    'a contact of two steps at one moment gets one message',
    [{}, { contactIds: ['a', 'b'] }],
    {},
    [
      [0, 'a'],
      [0, 'b'],
    ],
  ],
  [
    'a step of another severity is left out',
    [{ severities: ['warning'] }, { contactIds: ['b'] }],
    {},
    [[0, 'b']],
  ],
  ['an acknowledged alert notifies nobody', [{ repeatMinutes: 1 }], { acknowledged: true }, []],
  ['closed hours defer a message to the opening', [office], { activeUs: 60 * minuteUs }, [[480, 'a']]],
  [
    'a delay that ends within closed hours ends at the opening',
    [{ ...office, delayMinutes: 60 }],
    { activeUs: 1_050 * minuteUs },
    [[1_920, 'a']],
  ],
  [
    'a snooze postpones a message to its end',
    [{ delayMinutes: 5 }],
    { snoozedUntilUs: 30 * minuteUs },
    [[30, 'a']],
  ],
  [
    'a snooze that ends before a message changes nothing',
    [{ delayMinutes: 5 }],
    { snoozedUntilUs: minuteUs },
    [[5, 'a']],
  ],
  ['a message about one moment is not repeated', [{ repeatMinutes: 15 }], { repeats: false }, [[0, 'a']]],
])('%s', (_name, steps, question, expected) => {
  expect(
    run(
      steps.map((step) => ({ ...plain, ...step })),
      question,
    ),
  ).toEqual(expected);
});

test('repeats go on until the alert ends, and those of the closed hours are one at the opening', () => {
  const repeated = { ...plain, repeatMinutes: 240, ...office };
  expect(run([repeated], { activeUs: 480 * minuteUs }, 2_200).map(([minute]) => minute)).toEqual([
    480, 720, 960, 1_920, 2_160,
  ]);
});

test('each step notifies as if it were the only one, 500 cases', () => {
  const step = fc.record({
    delayMinutes: fc.integer({ min: 0, max: 2_000 }),
    contactIds: fc.constantFrom(['a'], ['b'], ['a', 'b']),
    days: fc.constantFrom(null, ['Thu', 'Sat'] as const),
    from: fc.constantFrom(null, '22:00', '08:00'),
    to: fc.constantFrom(null, '06:00', '12:30'),
    repeatMinutes: fc.constantFrom(null, 45, 700),
    severities: fc.constantFrom(null, ['critical'] as const, ['info'] as const),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4 }), fc.integer({ min: 0, max: 1_440 }), (steps, minute) => {
      const question = { activeUs: minute * minuteUs };
      const alone = steps.flatMap((one) => run([one], question, 6_000));
      const together = run(steps, question, 6_000);
      expect(new Set(together.map(String))).toEqual(new Set(alone.map(String)));
      expect(new Set(together.map(String)).size).toBe(together.length);
    }),
    { numRuns: 500 },
  );
});

/** Decides about each of these schedules in turn, a minute apart; who gets a message each time. */
function runChanges(schedules: readonly (readonly ScheduleStep[])[]) {
  let progress = base.progress;
  const notified: string[] = [];
  return schedules.map((steps, minute) => {
    const schedule = { timezone: 'UTC', steps };
    const nowUs = minute * minuteUs;
    const decision = dueSteps({ ...base, schedule, progress, notified: [...notified], nowUs });
    progress = decision.progress;
    notified.push(...decision.contactIds);
    return decision.contactIds;
  });
}

const to = (...contactIds: readonly string[]): ScheduleStep => ({ ...plain, contactIds });

test.each<[string, ScheduleStep[], ScheduleStep[], string[]]>([
  ['another schedule begins anew', [to('a')], [to('b')], ['b']],
  ['a step before the others moves them', [to('a'), to('b')], [to('c'), to('a'), to('b')], ['c']],
  ['steps that change places keep what they sent', [to('a'), to('b')], [to('b'), to('a')], []],
  ['a step that is taken away leaves the others', [to('a'), to('b'), to('c')], [to('c')], []],
  ['somebody of a step with a further contact knows already', [to('a')], [to('a', 'b')], []],
  [
    'a step that sent nothing yet is not taken for one that did',
    [{ ...to('a'), delayMinutes: 9 }, to('b')],
    [to('b')],
    [],
  ],
])('a schedule that changes: %s', (_, before, after, sent) => {
  expect(runChanges([before, before, after, after]).slice(1)).toEqual([[], sent, []]);
});

test('what an earlier version sent belongs to the step at its place', () => {
  const sent = { firstUs: 0, lastUs: 0 };
  const schedule = { timezone: 'UTC', steps: [to('a'), to('b')] };
  expect(
    dueSteps({ ...base, schedule, progress: [sent], notified: ['a'], nowUs: minuteUs }).contactIds,
  ).toEqual(['b']);
});

test('property: however the schedule changes, somebody of each step knows, and a step that stays notifies nobody again', () => {
  const contacts = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), {
    minLength: 1,
    maxLength: 3,
  });
  const schedule = fc.array(contacts, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(schedule, { minLength: 1, maxLength: 6 }), (all) => {
      const schedules = all.map((steps) => steps.map((ids) => to(...ids)));
      const known = new Set<string>();
      for (const [i, sent] of runChanges(schedules).entries()) {
        for (const id of sent) known.add(id);
        for (const step of schedules[i] ?? []) expect(step.contactIds.some((id) => known.has(id))).toBe(true);
      }
      const last = schedules.at(-1) ?? [];
      expect(runChanges([...schedules, last]).at(-1)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
  const apart = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), {
    minLength: 2,
    maxLength: 8,
  });
  fc.assert(
    fc.property(apart, fc.nat(), fc.nat(), (ids, kept, place) => {
      const [fresh = '', ...rest] = ids;
      const steps = rest.map((id) => to(id));
      const left = steps.slice(kept % steps.length);
      const changed = left.toSpliced(place % (left.length + 1), 0, to(fresh)).toReversed();
      expect(runChanges([steps, changed])[1]).toEqual([fresh]);
    }),
    { numRuns: 2_000 },
  );
});

test('each contact is told by the first step that sends it', () => {
  const steps = [to('a'), { ...to('b', 'a'), delayMinutes: 10 }, to('c', 'a')];
  const schedule = { timezone: 'UTC', steps };
  const first = dueSteps({ ...base, schedule, nowUs: 0 });
  expect([...first.stepOf]).toEqual([
    ['a', 1],
    ['c', 3],
  ]);
  const later = dueSteps({ ...base, schedule, progress: first.progress, nowUs: 10 * minuteUs });
  expect([...later.stepOf]).toEqual([
    ['b', 2],
    ['a', 2],
  ]);
});
