import { type FoldState, stateVersion } from '@vantage/health';
import { z } from 'zod';

/** A state as it was found in the database. */
export type StoredState =
  | { readonly kind: 'state'; readonly state: FoldState }
  /** Nothing was folded for the device yet. */
  | { readonly kind: 'none' }
  /** Of another version than this program knows, or damaged. */
  | { readonly kind: 'unreadable' };

const point = z.object({ startUs: z.number(), agentNo: z.number() });
const set = z.array(z.number());

const first = z.object({
  status: z.enum(['Up', 'Down', 'Unknown']),
  sinceUs: z.number(),
  before: z.enum(['Up', 'Down']).nullable(),
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

/**
 * The forms that this program reads. Version 1 was stored without a version, and every status of it had an event.
 */
const forms: Readonly<Record<number, z.ZodType<FoldState>>> = {
  1: first.transform((state) => ({ ...state, announced: true })),
  [stateVersion]: first.extend({ announced: z.boolean() }),
};

const versioned = z.object({ version: z.number().default(1) });

/** Reads what `storable` wrote, now or in an earlier version. */
export function readState(stored: unknown): StoredState {
  if (stored === null || stored === undefined) return { kind: 'none' };
  const { data } = versioned.safeParse(stored);
  const parsed = data === undefined ? undefined : forms[data.version]?.safeParse(stored);
  return parsed?.success ? { kind: 'state', state: parsed.data } : { kind: 'unreadable' };
}
