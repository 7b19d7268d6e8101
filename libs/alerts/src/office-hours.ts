import type { Schedule } from './schedule.ts';

/**
 * The schedule for news that can wait for the morning: steps without Days, From and To are open from Monday to Friday,
 * 08:00 to 18:00 in the schedule's zone, and nothing is repeated. Pure.
 */
export function inOfficeHours({ timezone, steps }: Schedule): Schedule {
  return {
    timezone,
    steps: steps.map((step) => {
      const isAlways = step.days === null && step.from === null && step.to === null;
      const hours = { days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'], from: '08:00', to: '18:00' } as const;
      return { ...step, repeatMinutes: null, ...(isAlways ? hours : {}) };
    }),
  };
}
