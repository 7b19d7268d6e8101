import { z } from 'zod';
import { ofOneAccount, reference, timestamp } from './command-fields.ts';

/** The progress of distributing the history over the workers of a Citus cluster. */
const distribution = z.object({
  citus: z.string().describe('The version of Citus.'),
  workers: z.array(z.string()).readonly(),
  tables: z
    .array(
      z.object({
        table: z.string(),
        place: z.enum(['workers', 'coordinator']).describe('Where its rows belong.'),
        done: z.boolean().describe('Its rows are there.'),
        bytes: z.int().describe('Of the rows that are still elsewhere.'),
      }),
    )
    .readonly(),
});

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

const databaseExamination = {
  request: z.strictObject({ read_url: z.string().optional().describe('Of a replica.') }),
  answer: z.array(finding).readonly(),
};

const quarantined = z.object({
  account: z.string(),
  agent_id: z.string(),
  agent: z.string(),
  reason: z.string(),
  records: z.int(),
  waiting: z.int().describe('Records of these that a controller will retry.'),
  first: timestamp,
  last: timestamp,
});

const sumComparison = {
  request: z.strictObject({
    days: z.int().min(1).optional().describe('How many days of devices, at random. Undefined: all.'),
    within_ms: z.int().min(1).optional().describe('Ends earlier after this time.'),
  }),
  answer: z.object({
    hours: z.int().describe('Hours of devices that were compared.'),
    days: z.int().describe('Days of devices that were compared.'),
    packed_days: z.int().describe('Packed ones of these.'),
    repaired: z.int().describe('Days of devices whose sums differed and were computed again.'),
    damaged: z.int().describe('Days of devices whose checks are damaged or missing.'),
    failed: z.int().describe('Days of devices that could not be compared.'),
    faults: z.array(z.string()).readonly().describe('The first of them, a line each.'),
  }),
};

export const databaseCommands = {
  'database.plan': { request: z.strictObject({}), answer: distribution },
  'database.distribute': {
    request: z.strictObject({ shards: z.int().min(1).max(1_024) }),
    answer: distribution,
  },
  'database.examine': databaseExamination,
  'database.compare-sums': sumComparison,
  'quarantine.list': {
    request: ofOneAccount,
    answer: z.array(quarantined).readonly().describe('By agent and reason, up to 1,000, the latest first.'),
  },
  'quarantine.retry': {
    request: z.strictObject({
      account: reference.optional().describe('Undefined: all accounts.'),
      agent_id: z.string().optional(),
      reason: z.string().max(500).optional(),
      limit: z.int().min(1).max(10_000),
    }),
    answer: z.object({
      records: z.int().describe('Records that were chosen, the oldest.'),
      accepted: z.int(),
      refused: z.int().describe('Records that are refused again.'),
      waiting: z.int().describe('Records that no controller has judged yet.'),
    }),
  },
} as const;
