import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideForward, type RefusedMessage } from './forward.ts';
import type { ScheduleStep } from './schedule.ts';

const ids = ['a', 'b', 'c', 'd', 'e'] as const;
const some = fc.uniqueArray(fc.constantFrom(...ids));
const step = (contactIds: readonly string[]): ScheduleStep => ({
  delayMinutes: 0,
  contactIds,
  days: null,
  from: null,
  to: null,
  repeatMinutes: null,
  severities: null,
});
const refused = (more: Partial<RefusedMessage>): RefusedMessage => ({
  schedule: { timezone: 'UTC', steps: [step(['a', 'b']), step(['c'])] },
  severity: 'critical',
  refusedBy: 'a',
  standing: 'current',
  accepting: new Set<string>(ids),
  having: new Set(),
  refusing: new Set(),
  ...more,
});

test.each<[string, Partial<RefusedMessage>, ReturnType<typeof decideForward>]>([
  ['the other contact of its step', {}, { kind: 'forward', contactIds: ['b'], withEnd: false }],
  ['nobody again where the step has it', { having: new Set(['b']) }, { kind: 'known' }],
  [
    'the schedule where the step refuses',
    { refusing: new Set(['b']) },
    { kind: 'forward', contactIds: ['c'], withEnd: false },
  ],
  [
    'the schedule where the step does not want it',
    { accepting: new Set(['c']) },
    { kind: 'forward', contactIds: ['c'], withEnd: false },
  ],
  [
    'the other contact, with the end of its alert',
    { standing: 'ended' },
    { kind: 'forward', contactIds: ['b'], withEnd: true },
  ],
  ['nobody where it is over', { standing: 'over' }, { kind: 'over' }],
  ['nobody where all refuse', { refusing: new Set(['b', 'c']) }, { kind: 'undeliverable' }],
  ['nobody without a schedule', { schedule: null }, { kind: 'undeliverable' }],
  [
    'nobody of a step for another severity',
    { schedule: { timezone: 'UTC', steps: [{ ...step(['a', 'b']), severities: ['info'] }] } },
    { kind: 'undeliverable' },
  ],
])('a message that a contact refused goes to %s', (_, more, expected) => {
  expect(decideForward(refused(more))).toEqual(expected);
});

test('whoever refuses: somebody gets the message or all refused it, nobody gets it twice, and it ends', () => {
  const property = fc.property(
    fc.array(some.map(step), { maxLength: 4 }),
    some,
    some,
    (steps, accepted, broken) => {
      const accepting = new Set<string>(accepted);
      const having = new Set<string>();
      const refusing = new Set<string>();
      const sent: string[] = [];
      const queue = [...new Set(steps[0]?.contactIds.filter((id) => accepting.has(id)))];
      for (const id of queue) having.add(id);
      let isNobody = queue.length === 0;
      for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
        sent.push(id);
        if (!broken.some((one) => one === id)) continue;
        having.delete(id);
        refusing.add(id);
        const schedule = { timezone: 'UTC', steps };
        const made = decideForward(refused({ schedule, refusedBy: id, accepting, having, refusing }));
        if (made.kind === 'undeliverable') isNobody = true;
        if (made.kind !== 'forward') continue;
        for (const next of made.contactIds) having.add(next);
        queue.push(...made.contactIds);
      }
      expect(new Set(sent).size).toBe(sent.length);
      expect(having.size > 0 || isNobody).toBe(true);
      if (isNobody && sent.length > 0 && having.size === 0)
        for (const id of steps.flatMap(({ contactIds }) => contactIds))
          if (accepting.has(id)) expect(refusing.has(id)).toBe(true);
    },
  );
  fc.assert(property, { numRuns: 5_000 });
});
