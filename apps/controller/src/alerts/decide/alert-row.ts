import {
  type AlertKind,
  type AlertState,
  alertKinds,
  alertPhases,
  type Facts,
  newAlertState,
  type Severity,
  severities,
} from '@vantage/alerts';
import { z } from 'zod';

const us = z.number();

/** The schema of `alerts.state`. A field that an earlier version did not write has its value of a new alert. */
const storedState = z.object({
  phase: z.enum(alertPhases),
  phaseSinceUs: us,
  judgedFromUs: us,
  requestId: z.string().nullable(),
  failedChecks: z.int(),
  ownChecks: z.enum(['none', 'one', 'sequence']),
  judgeAgainUs: us.nullable(),
  activeUs: us.nullable(),
  steps: z.array(z.object({ firstUs: us, lastUs: us, step: z.string().optional() }).nullable()),
  notified: z.array(z.string()),
  announcesFlapping: z.boolean(),
  // States of an earlier version have none of these.
  countsFromUs: us.nullable().default(null),
  note: z.string().nullable().default(null),
  past: z.array(z.object({ activeUs: us, sinceUs: us, upUs: us })).default([]),
  heardElsewhere: z.array(z.string()).default([]),
  flapping: z
    .object({ sinceUs: us, outages: z.int(), downUs: us, downSinceUs: us.nullable(), saysDown: z.boolean() })
    .nullable()
    .default(null),
  closedElsewhere: z.boolean().default(false),
  announcedAcknowledgement: z.boolean().default(false),
  suppressions: z.array(z.enum(['master', 'maintenance', 'schedule', 'late', 'flapping'])),
});

/** Reads a stored state. One that cannot be read begins anew as `judging`, so that no alert is lost. */
export function readAlertState(stored: unknown, nowUs: number): AlertState {
  const parsed = storedState.safeParse(stored);
  return parsed.success ? parsed.data : newAlertState('judging', nowUs);
}

const storedPast = storedState.shape.past;

/** Reads the outages before the present one of a stored state; one that cannot be read has none. */
export function readPast(stored: unknown): AlertState['past'] {
  return storedPast.safeParse(stored).data ?? [];
}

/** Reads stored facts; what is no object is an empty one. */
export function readFacts(stored: unknown): Facts {
  const parsed = z.record(z.string(), z.json()).safeParse(stored);
  return parsed.success ? parsed.data : {};
}

/** Reads a stored kind; undefined for one of a later version. */
export function readKind(stored: string): AlertKind | undefined {
  return alertKinds.find((kind) => kind === stored);
}

/** Reads a stored severity; an unknown one counts as the worst. */
export function readSeverity(stored: string): Severity {
  return severities.find((severity) => severity === stored) ?? 'critical';
}
