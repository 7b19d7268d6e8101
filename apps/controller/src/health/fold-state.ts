import { type FoldState, newState } from '@vantage/health';
import { z } from 'zod';

const point = z.object({ startUs: z.number(), agentNo: z.number() });
const set = z.array(z.number());

const foldState = z.object({
  status: z.enum(['Up', 'Down', 'Unknown']),
  sinceUs: z.number(),
  before: z.enum(['Up', 'Down']).nullable(),
  announced: z.boolean().default(true),
  chain: z
    .object({
      chainId: z.string().nullable(),
      opened: point,
      firstErrorEndUs: z.number(),
      revision: z.number(),
      failedKs: set,
      failing: set,
      lastEndUs: z.number(),
      lastLocationNo: z.number(),
      lastAgentNo: z.number(),
    })
    .nullable(),
  partial: z.object({ failing: set, chains: z.number() }).nullable(),
  abstaining: set,
  at: point.nullable(),
});

/** Reads a stored state; what is no state (a device that nothing was folded for yet) is a new one. */
export function readState(stored: unknown, createdUs: number): FoldState {
  const parsed = foldState.safeParse(stored);
  return parsed.success ? parsed.data : newState(createdUs);
}
