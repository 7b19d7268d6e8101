import { dayUs, secondUs } from '@vantage/domain';
import { type FieldFault, newId } from '@vantage/kernel';
import { publish } from '../../platform/db/index.ts';
import { hashCredential, newCredential } from '../../platform/secrets/credential.ts';
import { hashPassword } from '../../platform/secrets/password.ts';
import type { Level } from '../../rest/http/session.ts';
import type { Zone } from '../../rest/http/zone.ts';
import { type ChangeTransaction, changedFields, createdFields } from '../change.ts';
import type { Conflict, Invalid, Missing } from '../refusal.ts';
import { refuseBeyondLimit } from '../refusal.ts';
import { grantFaults, type Power } from './grant.ts';
import { namesOfTags, readScope, type Scope, type SentScope } from './scope.ts';
import {
  findGiver,
  findKeysInForce,
  insertKey,
  markKeyRevoked,
  noHint,
  readDatabaseUs,
  readKey,
  updateKey,
} from './store.ts';

/** The key that is to be issued. */
interface NewKey {
  readonly accountNo: number;
  readonly level: Level;
  readonly name: string;
  /** When it stops working, epoch microseconds; undefined: never. */
  readonly expiresUs?: number | null | undefined;
  /** The tags to which it is limited; undefined: it is not. */
  readonly tagNos?: Scope | undefined;
  /** With these every request must carry them too (HTTP Basic). */
  readonly basic?: { readonly user: string; readonly password: string } | undefined;
  /** A key that was made before, for a database that does not know it. */
  readonly key?: string | undefined;
}

/** Issues a key. The answer holds the key; the database keeps only its hash. */
export async function issueKey(
  transaction: ChangeTransaction,
  given: NewKey,
): Promise<{ readonly keyId: string; readonly key: string }> {
  const { accountNo, basic, level, name, expiresUs = null, tagNos = null, key = newCredential() } = given;
  const keyId = newId();
  const giver = await findGiver(transaction);
  await insertKey(transaction, {
    keyId,
    accountNo,
    name,
    keyHash: hashCredential(key),
    hint: key.slice(0, 6),
    level,
    basicUser: basic?.user ?? null,
    basicHash: basic === undefined ? null : await hashPassword(basic.password),
    expiresUs,
    tagNos: tagNos && [...tagNos],
    createdBy: giver?.name ?? 'command line',
  });
  const Tags = await namesOfTags(transaction.trx, tagNos);
  const fields = createdFields({ Level: level, Name: name, ...(Tags && { Tags }) });
  transaction.record({ action: 'create', kind: 'key', accountNo, id: keyId, fields });
  return { keyId, key };
}

/** Inserts the key that stands for a person; nobody holds it. */
export async function insertKeyOf(
  transaction: ChangeTransaction,
  {
    keyId,
    accountNo,
    name,
    level,
    tagNos,
    createdBy = 'command line',
  }: Pick<NewKey, 'accountNo' | 'name' | 'level'> & {
    readonly keyId: string;
    readonly tagNos: Scope;
    /** Who made it, where no key did. */
    readonly createdBy?: string;
  },
): Promise<void> {
  const giver = await findGiver(transaction);
  const keyHash = hashCredential(newCredential());
  const plain = {
    hint: noHint,
    basicUser: null,
    basicHash: null,
    expiresUs: null,
    tagNos: tagNos && [...tagNos],
  };
  const by = giver?.name ?? createdBy;
  await insertKey(transaction, { ...plain, keyId, accountNo, name, level, keyHash, createdBy: by });
}

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

/**
 * The refusal of a power that the caller does not have; undefined: it may be given. The operator may give every one.
 */
export async function refuseGrant(
  transaction: ChangeTransaction,
  given: Power,
): Promise<Conflict | Invalid | undefined> {
  if (transaction.actor.kind === 'command-line') return undefined;
  const giver = await findGiver(transaction);
  if (giver === undefined)
    return {
      kind: 'conflict',
      reason: 'conflict',
      message: 'The key of this request was revoked meanwhile.',
    };
  return invalidIf(grantFaults(giver, given));
}

/** A later end is as good as none. */
const maxLifeUs = 100 * 366 * dayUs;

/** The refusal of an end that has passed by the clock of the database, or is too late to be meant. */
async function refuseEnd({ trx }: ChangeTransaction, expiresUs: number | null): Promise<Invalid | undefined> {
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
  await markKeyRevoked(transaction, keyNo);
  await publish(transaction.trx, 'revoked', { agent_nos: [], key_nos: [keyNo] });
  const fields = changedFields(['Revoked'], { Revoked: false }, { Revoked: true });
  transaction.record({ action: 'update', kind: 'key', accountNo, id: keyId, fields });
  return { kind: 'revoked', keyId, keyNo };
}
