import type { HeartbeatState } from '@vantage/health';
import { z } from 'zod';

const us = z.int().min(0);

const stored: z.ZodType<HeartbeatState> = z.object({
  version: z.literal(1),
  key: z.string(),
  isEnabled: z.boolean(),
  atUs: us,
  dueUs: us.nullable(),
  sinceUs: us,
  lastCall: z
    .object({
      kind: z.enum(['success', 'start', 'fail', 'exit', 'log']),
      atUs: us,
      exitStatus: z.int().nullable(),
    })
    .nullable(),
  runs: z.array(z.object({ runId: z.string(), firstUs: us, lastUs: us, isOverdue: z.boolean() })),
});

/** A stored state; null for one that this version does not know, which starts again. */
export function readStoredState(json: unknown): HeartbeatState | null {
  const read = stored.safeParse(json);
  return read.success ? read.data : null;
}
