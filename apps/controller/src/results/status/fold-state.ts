import { baseStatuses } from '@vantage/domain';
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

const sequence = z.object({
  opened: point,
  firstErrorEndUs: z.number(),
  revision: z.number(),
  failing: set,
  lastEndUs: z.number(),
  lastLocationNo: z.number(),
  lastAgentNo: z.number(),
});
const common = z.object({
  status: z.enum(baseStatuses),
  sinceUs: z.number(),
  before: z.enum(['Up', 'Down']).nullable(),
  at: point.nullable(),
});

const earlierSequence = sequence.extend({ chainId: z.string().nullable(), failedKs: set });

function renamed({ chainId: retryId, failedKs: failedAttempts, ...same }: z.infer<typeof earlierSequence>) {
  return { ...same, retryId, failedAttempts };
}

/** Versions 1 and 2 had other names for the same. */
const earlier = (announced: z.ZodType<boolean>) =>
  common
    .extend({
      announced,
      chain: earlierSequence.nullable(),
      partial: z.object({ failing: set, chains: z.number() }).nullable(),
      abstaining: set,
    })
    .transform(({ chain, partial, abstaining, ...rest }): FoldState => {
      return {
        ...rest,
        retrySequence: chain && renamed(chain),
        partial: partial && { failing: partial.failing, sequences: partial.chains },
        inconclusiveLocationNos: abstaining,
      };
    });

/**
 * The forms that this program reads. Version 1 was stored without a version, and every status of it had an event.
 */
const forms: Readonly<Record<number, z.ZodType<FoldState>>> = {
  1: earlier(z.boolean().default(true)),
  2: earlier(z.boolean()),
  [stateVersion]: common.extend({
    announced: z.boolean(),
    retrySequence: sequence.extend({ retryId: z.string().nullable(), failedAttempts: set }).nullable(),
    partial: z.object({ failing: set, sequences: z.number() }).nullable(),
    inconclusiveLocationNos: set,
  }),
};

const versioned = z.object({ version: z.number().default(1) });

/** Reads what `storable` wrote, now or in an earlier version. */
export function readState(stored: unknown): StoredState {
  if (stored === null || stored === undefined) return { kind: 'none' };
  const { data } = versioned.safeParse(stored);
  const parsed = data === undefined ? undefined : forms[data.version]?.safeParse(stored);
  return parsed?.success ? { kind: 'state', state: parsed.data } : { kind: 'unreadable' };
}
