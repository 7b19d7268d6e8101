import { z } from 'zod';

const databaseSteps = ['database', 'replication', 'read replica'] as const;

const finding = z.discriminatedUnion('level', [
  z.object({ level: z.literal('ok'), step: z.literal(databaseSteps), text: z.string() }),
  z.object({
    level: z.literal(['warning', 'fault']),
    step: z.literal(databaseSteps),
    text: z.string(),
    remedy: z.string(),
  }),
]);

/** The examination of a database by a doctor. */
export const databaseExamination = {
  request: z.strictObject({ read_url: z.string().optional().describe('Of a replica.') }),
  answer: z.array(finding).readonly(),
};
