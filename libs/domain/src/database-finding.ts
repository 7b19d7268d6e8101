import { z } from 'zod';

const databaseSteps = ['database', 'replication', 'read replica'] as const;

/** A finding of a doctor about the database. */
export const databaseFinding = z.discriminatedUnion('level', [
  z.object({ level: z.literal('ok'), step: z.literal(databaseSteps), text: z.string() }),
  z.object({
    level: z.literal(['warning', 'fault']),
    step: z.literal(databaseSteps),
    text: z.string(),
    remedy: z.string(),
  }),
]);
