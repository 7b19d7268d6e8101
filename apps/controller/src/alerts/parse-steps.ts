import { type ScheduleStep, severities, weekdays } from '@vantage/alerts';
import { z } from 'zod';

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/** The steps of a notification schedule as `nschedules.steps` stores them, which is also how REST shows them. */
const storedSteps = z.array(
  z.object({
    DelayMinutes: z.int().min(0),
    Contacts: z.array(z.string()),
    Days: z.array(z.enum(weekdays)).nullish(),
    From: time.nullish(),
    To: time.nullish(),
    RepeatMinutes: z.int().min(1).nullish(),
    Severities: z.array(z.enum(severities)).nullish(),
  }),
);

/** Reads stored steps. Throws a ZodError where the column holds something else. */
export function parseSteps(stored: unknown): ScheduleStep[] {
  return storedSteps.parse(stored).map((step) => ({
    delayMinutes: step.DelayMinutes,
    contactIds: step.Contacts,
    days: step.Days ?? null,
    from: step.From ?? null,
    to: step.To ?? null,
    repeatMinutes: step.RepeatMinutes ?? null,
    severities: step.Severities ?? null,
  }));
}
