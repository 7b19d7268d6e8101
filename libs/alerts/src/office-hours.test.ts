import { expect, test } from 'vitest';
import { inOfficeHours } from './preview.ts';
import type { ScheduleStep } from './schedule.ts';

const step: ScheduleStep = {
  delayMinutes: 5,
  contactIds: ['a'],
  days: null,
  from: null,
  to: null,
  repeatMinutes: 10,
  severities: null,
};
const of = (some: Partial<ScheduleStep>) =>
  inOfficeHours({ timezone: 'Europe/Oslo', steps: [{ ...step, ...some }] });

test('a step that is always open is open in office hours, once', () => {
  const hours = { days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'], from: '08:00', to: '18:00' };
  expect(of({})).toEqual({ timezone: 'Europe/Oslo', steps: [{ ...step, repeatMinutes: null, ...hours }] });
});

test.each<Partial<ScheduleStep>>([{ days: ['Sun'] }, { from: '20:00' }, { to: '06:00' }])(
  'a step with hours of its own keeps them: %j',
  (hours) => {
    expect(of(hours).steps).toEqual([{ ...step, ...hours, repeatMinutes: null }]);
  },
);
