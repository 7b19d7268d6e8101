import { severities } from '@vantage/domain';
import { z } from 'zod';
import { type ScheduleStep, weekdays } from './schedule.ts';

const storedStep = z.strictObject({
  DelayMinutes: z.int(),
  Contacts: z.array(z.string()),
  Days: z.array(z.enum(weekdays)).optional(),
  From: z.string().optional(),
  To: z.string().optional(),
  RepeatMinutes: z.int().optional(),
  Severities: z.array(z.enum(severities)).optional(),
});

/** The steps of a notification schedule, as the column stores them and REST shows them: what is not set is absent. */
export const storedSteps = z.array(storedStep);
export type StoredSteps = z.output<typeof storedSteps>;

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
const decidableSteps = z.array(
  storedStep.extend({
    DelayMinutes: z.int().min(0),
    From: time.optional(),
    To: time.optional(),
    RepeatMinutes: z.int().min(1).optional(),
  }),
);

/** A step in the form that the decision about notifications reads. */
export function toScheduleStep(step: StoredSteps[number]): ScheduleStep {
  return {
    delayMinutes: step.DelayMinutes,
    contactIds: step.Contacts,
    days: step.Days ?? null,
    from: step.From ?? null,
    to: step.To ?? null,
    repeatMinutes: step.RepeatMinutes ?? null,
    severities: step.Severities ?? null,
  };
}

/** Reads stored steps for a decision. Throws a ZodError where the column holds something else. */
export function parseSteps(stored: unknown): ScheduleStep[] {
  return decidableSteps.parse(stored).map(toScheduleStep);
}
