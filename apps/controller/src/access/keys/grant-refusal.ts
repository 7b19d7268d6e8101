import { dayUs } from '@vantage/domain';
import type { FieldFault } from '@vantage/kernel';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { Conflict, Invalid } from '../../resources/refusal.ts';
import { grantFaults, type Power } from './grant.ts';
import { findGrantor, readDatabaseUs } from './key-store.ts';

/**
 * The refusal of a power that the caller does not have; undefined: it may be given. The operator may give every one.
 */
export async function refuseGrant(
  transaction: ChangeTransaction,
  given: Power,
): Promise<Conflict | Invalid | undefined> {
  if (transaction.actor.kind === 'command-line') return undefined;
  const grantor = await findGrantor(transaction);
  if (grantor === undefined)
    return {
      kind: 'conflict',
      reason: 'conflict',
      message: 'The key of this request was revoked meanwhile.',
    };
  return invalidIf(grantFaults(grantor, given));
}

/** A later end is as good as none. */
const maxLifeUs = 100 * 366 * dayUs;

/** The refusal of an end that has passed by the clock of the database, or is too late to be meant. */
export async function refuseEnd(
  { trx }: ChangeTransaction,
  expiresUs: number | null,
): Promise<Invalid | undefined> {
  if (expiresUs === null) return undefined;
  const nowUs = await readDatabaseUs(trx);
  if (expiresUs <= nowUs)
    return invalidIf([{ field: 'Expires', message: 'must be in the future; to end a key now, delete it' }]);
  if (expiresUs > nowUs + maxLifeUs)
    return invalidIf([{ field: 'Expires', message: 'must be within 100 years; null is without end' }]);
  return undefined;
}

function invalidIf(faults: readonly FieldFault[]): Invalid | undefined {
  return faults.length === 0 ? undefined : { kind: 'invalid', faults };
}
