import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dueSteps, type StepQuestion } from './due-steps.ts';
import type { ScheduleStep } from './schedule.ts';

const minuteUs = 60_000_000;
const plain: ScheduleStep = {
  ...{ delayMinutes: 0, contactIds: ['a'], days: null, from: null, to: null },
  ...{ repeatMinutes: null, severities: null },
};
const base: Omit<StepQuestion, 'schedule' | 'nowUs'> = {
  ...{
    severity: 'critical',
    activeUs: 0,
    progress: [],
    notified: [],
    acknowledged: false,
    snoozedUntilUs: null,
  },
  ...{ repeats: true, minuteUs },
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
