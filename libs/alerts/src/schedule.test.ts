import { expect, test } from 'vitest';
import { inOfficeHours, isMeantFor, joinSchedules, type ScheduleStep } from './schedule.ts';

const step: ScheduleStep = {
  delayMinutes: 0,
  contactIds: ['c'],
  days: null,
  from: null,
  to: null,
  repeatMinutes: null,
  severities: null,
};

test('a step without severities is meant for all of them, another one for those that it names', () => {
  expect(isMeantFor(step, 'info')).toBe(true);
  expect(isMeantFor({ ...step, severities: ['critical', 'warning'] }, 'warning')).toBe(true);
  expect(isMeantFor({ ...step, severities: ['critical', 'warning'] }, 'info')).toBe(false);
});

test('the joined schedules of devices notify each contact once, as early as one of them says, in the zone of its own', () => {
  const night = { ...step, contactIds: ['a', 'b'], from: '20:00', to: '06:00' };
  const joined = joinSchedules(
    [
      { timezone: 'Europe/Berlin', steps: [{ ...step, contactIds: ['a'], delayMinutes: 10 }, night] },
      { timezone: 'Asia/Tokyo', steps: [{ ...step, contactIds: ['c', 'a'], delayMinutes: 5 }] },
      { timezone: 'UTC', steps: [{ ...step, contactIds: ['d'], severities: ['info'] }] },
    ],
    'critical',
  );
  expect(
    joined?.steps.map(({ contactIds, timezone, delayMinutes }) => [contactIds, timezone, delayMinutes]),
  ).toEqual([
    [['a', 'b'], 'Europe/Berlin', 0],
    [['c', 'a'], 'Asia/Tokyo', 5],
    [[], 'Europe/Berlin', 10],
  ]);
});

test('one schedule is itself, and none is none', () => {
  const one = { timezone: 'UTC', steps: [step] };
  expect(joinSchedules([one], 'critical')).toBe(one);
  expect(joinSchedules([], 'critical')).toBeNull();
});

const repeated: ScheduleStep = { ...step, delayMinutes: 5, contactIds: ['a'], repeatMinutes: 10 };
const inOffice = (some: Partial<ScheduleStep>) =>
  inOfficeHours({ timezone: 'Europe/Oslo', steps: [{ ...repeated, ...some }] });

test('a step that is always open is open in office hours, once', () => {
  const hours = { days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'], from: '08:00', to: '18:00' };
  expect(inOffice({})).toEqual({
    timezone: 'Europe/Oslo',
    steps: [{ ...repeated, repeatMinutes: null, ...hours }],
  });
});

test.each<Partial<ScheduleStep>>([{ days: ['Sun'] }, { from: '20:00' }, { to: '06:00' }])(
  'a step with hours of its own keeps them: %j',
  (hours) => {
    expect(inOffice(hours).steps).toEqual([{ ...repeated, ...hours, repeatMinutes: null }]);
  },
);
