import { secondUs } from '@vantage/domain';
import type { Level } from '@vantage/rest-kit/session';
import type { Zone } from '@vantage/rest-kit/zone';
import { publish } from '@vantage/storage';
import type { ChangeTransaction } from '../../resources/change.ts';
import { changedFields } from '../../resources/field-changes.ts';
import { refuseBeyondLimit } from '../../resources/limited-kinds.ts';
import type { Conflict, Invalid, Missing } from '../../resources/refusal.ts';
import { refuseEnd, refuseGrant } from './grant-refusal.ts';
import { issueKey, type NewKey } from './issue-key.ts';
import { namesOfTags, readScope, type SentScope } from './key-scope.ts';
import { findKeysInForce, readKey, setKeyRevoked, updateKey } from './key-store.ts';

/** Issues a key for a caller of the REST API, who cannot give more than they may do. */
export async function createKey(
  transaction: ChangeTransaction,
  given: Pick<NewKey, 'accountNo' | 'level' | 'name'> & {
    readonly expiresUs: number | null;
    readonly tags: SentScope;
  },
): Promise<{ readonly kind: 'created'; readonly keyId: string; readonly key: string } | Conflict | Invalid> {
  const read = await readScope(transaction.trx, given.accountNo, given.tags);
  if ('kind' in read) return read;
  const power = { ...given, tagNos: read.scope ?? null };
  const refusal =
    (await refuseGrant(transaction, power)) ??
    (await refuseEnd(transaction, given.expiresUs)) ??
    (await refuseBeyondLimit(transaction, 'keys', given.accountNo));
  if (refusal !== undefined) return refusal;
  return { kind: 'created', ...(await issueKey(transaction, power)) };
}

/** Changed settings of a key; undefined leaves one as it is. */
interface SentKey {
  readonly name: string | undefined;
  readonly level: Level | undefined;
  readonly expiresUs: number | null | undefined;
  readonly tags: SentScope;
}

/** Changes a key. Every controller knows of it within 5 s. `zone` shows times in the audit. */
export async function changeKey(
  transaction: ChangeTransaction,
  { accountNo, keyId, zone }: { readonly accountNo: number; readonly keyId: string; readonly zone: Zone },
  sent: SentKey,
): Promise<{ readonly kind: 'changed'; readonly keyNo: number } | Conflict | Invalid | Missing> {
  const current = await readKey(transaction.trx, accountNo, keyId);
  if (current === undefined) return { kind: 'missing', what: 'key' };
  const read = await readScope(transaction.trx, accountNo, sent.tags);
  if ('kind' in read) return read;
  const { trx } = transaction;
  const next = {
    tagNos: read.scope === undefined ? current.tagNos && [...current.tagNos] : read.scope && [...read.scope],
    name: sent.name ?? current.name,
    level: sent.level ?? current.level,
    // A time that comes back as it is shown, in whole seconds, is the same.
    expiresUs: isSameSecond(sent.expiresUs, current.expiresUs) ? current.expiresUs : (sent.expiresUs ?? null),
  };
  const shown = async (key: Pick<typeof current, 'name' | 'level' | 'expiresUs' | 'tagNos'>) => ({
    Name: key.name,
    Level: key.level,
    Expires: key.expiresUs === null ? null : zone.format(key.expiresUs),
    Tags: await namesOfTags(trx, key.tagNos),
  });
  const [old, now] = [await shown(current), await shown(next)];
  const fields = (['Name', 'Level', 'Expires', 'Tags'] as const).filter(
    (field) => JSON.stringify(old[field]) !== JSON.stringify(now[field]),
  );
  const { keyNo } = current;
  if (fields.length === 0) return { kind: 'changed', keyNo };
  const refusal =
    (fields.some((field) => field !== 'Name') ? await refuseGrant(transaction, next) : undefined) ??
    (fields.includes('Expires') ? await refuseEnd(transaction, next.expiresUs) : undefined);
  if (refusal !== undefined) return refusal;
  await updateKey(transaction, keyNo, next);
  await publish(transaction.trx, 'revoked', { agent_nos: [], key_nos: [keyNo] });
  const changes = changedFields(fields, old, now);
  transaction.record({ action: 'update', kind: 'key', accountNo, id: keyId, fields: changes });
  return { kind: 'changed', keyNo };
}

function isSameSecond(sent: number | null | undefined, current: number | null): boolean {
  if (sent === undefined) return true;
  if (sent === null || current === null) return sent === current;
  return Math.floor(sent / secondUs) === Math.floor(current / secondUs);
}

/** The outcome of a request to revoke a key. */
type KeyRevocation =
  | { readonly kind: 'revoked'; readonly keyId: string; readonly keyNo: number }
  | { readonly kind: 'missing' }
  /** Several keys in force have this hint. */
  | { readonly kind: 'ambiguous' };

/** Revokes a key by its id or hint. The commit notifies every controller, which refuses the key within 5 s. */
export async function revokeKey(transaction: ChangeTransaction, idOrHint: string): Promise<KeyRevocation> {
  const [key, another] = await findKeysInForce(transaction, idOrHint);
  if (key === undefined) return { kind: 'missing' };
  if (another !== undefined) return { kind: 'ambiguous' };
  const { accountNo, keyId, keyNo } = key;
  await setKeyRevoked(transaction, keyNo);
  await publish(transaction.trx, 'revoked', { agent_nos: [], key_nos: [keyNo] });
  const fields = changedFields(['Revoked'], { Revoked: false }, { Revoked: true });
  transaction.record({ action: 'update', kind: 'key', accountNo, id: keyId, fields });
  return { kind: 'revoked', keyId, keyNo };
}
