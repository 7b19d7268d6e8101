import { type Clock, createJobParts, type Logger } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';

const everyMs = 15_000;
/** A gateway writes each few seconds; one that was not seen for a minute has ended. */
const goneUs = 60_000_000;

/** A package of the agent that the release key signed. */
interface Parcel {
  readonly version: string;
  readonly arch: string;
}

const offerSchema = z.object({
  hasKey: z.boolean(),
  parcels: z.array(z.object({ version: z.string(), arch: z.string() })),
});

/**
 * Stores which signed packages this gateway offers, so that a command on its host, which has settings of its own, can
 * judge by them. `signedParcels` resolves with undefined where there is no release key.
 */
export function createParcelOffer({
  kysely,
  controllerId,
  clock,
  log,
  signedParcels,
}: {
  readonly kysely: Kysely<Tables>;
  readonly controllerId: string;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Logger;
  readonly signedParcels: () => Promise<readonly Parcel[] | undefined>;
}): { run(signal: AbortSignal): Promise<void> } {
  const parts = createJobParts({
    log,
    failed: 'the signed packages of agents cannot be listed; trying again',
    recovered: 'the signed packages of agents are listed again',
  });
  const store = async () => {
    const parcels = await signedParcels();
    const offer = { hasKey: parcels !== undefined, parcels: parcels ?? [] };
    await sql`update controllers set signed_parcels = ${JSON.stringify(offerSchema.parse(offer))}::jsonb
      where controller_id = ${controllerId}`.execute(kysely);
  };
  return {
    async run(signal) {
      while (!signal.aborted) {
        await parts.attempt('parcels', store);
        await clock.sleep(everyMs, signal).catch(() => {});
      }
    },
  };
}

/**
 * The signed packages that the running gateways offer. `unknown`: none runs, or none has said so yet. `parcels`
 * undefined: none has a release key.
 */
export async function readOfferedParcels(
  kysely: Kysely<Tables>,
  nowUs: number,
): Promise<
  { readonly kind: 'unknown' } | { readonly kind: 'known'; readonly parcels: readonly Parcel[] | undefined }
> {
  const { rows } = await sql<{ signed_parcels: unknown }>`
    select signed_parcels from controllers
    where signed_parcels is not null and last_seen_us > ${nowUs - goneUs}::bigint`.execute(kysely);
  const offers = rows.map(({ signed_parcels }) => offerSchema.parse(signed_parcels));
  if (offers.length === 0) return { kind: 'unknown' };
  const withKey = offers.filter(({ hasKey }) => hasKey);
  return {
    kind: 'known',
    parcels: withKey.length === 0 ? undefined : withKey.flatMap(({ parcels }) => parcels),
  };
}
