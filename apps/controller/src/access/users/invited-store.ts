import { databaseUs, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import { columns, type UserRow, users } from './user-store.ts';

/**
 * The person whose invitation has a token with this SHA-256 and has not ended. With `lock` no other request can accept
 * it meanwhile.
 */
export async function readInvited(
  kysely: Kysely<Tables>,
  tokenHash: Uint8Array,
  { lock }: { readonly lock: boolean },
): Promise<UserRow | undefined> {
  return users(kysely)
    .select(columns)
    .where('p.invitation_hash', '=', Buffer.from(tokenHash))
    .where('p.invitation_ends_us', '>', databaseUs)
    .where('k.revoked_at', 'is', null)
    .$if(lock, (query) => query.forUpdate('p'))
    .executeTakeFirst();
}

/** The people with this e-mail address (small letters) and a password, at most one of each account, locked. */
export async function lockPeopleWithPassword(
  { trx }: ChangeTransaction,
  email: string,
): Promise<readonly UserRow[]> {
  return users(trx)
    .select(columns)
    .where('p.email', '=', email)
    .where('p.password_hash', 'is not', null)
    .where('k.revoked_at', 'is', null)
    .orderBy('p.user_no')
    .forUpdate('p')
    .execute();
}

/** Replaces the invitation of a person, with the address that it brings. Returns its end. */
export async function setInvitation(
  { trx }: ChangeTransaction,
  userId: string,
  {
    tokenHash,
    lifeUs,
    email,
  }: { readonly tokenHash: Uint8Array; readonly lifeUs: number; readonly email: string | null },
): Promise<number> {
  const { endsUs } = await trx
    .updateTable('users')
    .set({
      invitation_hash: Buffer.from(tokenHash),
      invitation_email: email,
      invitation_ends_us: sql<number>`${databaseUs} + ${lifeUs}::bigint`,
    })
    .where('user_id', '=', userId)
    .returning('invitation_ends_us as endsUs')
    .executeTakeFirstOrThrow();
  return endsUs ?? 0;
}

/** Gives a person a password, which ends an invitation. */
export async function setPassword(
  { trx }: ChangeTransaction,
  userNo: number,
  passwordHash: string,
): Promise<void> {
  await trx
    .updateTable('users')
    .set({
      password_hash: passwordHash,
      invitation_hash: null,
      invitation_ends_us: null,
      invitation_email: null,
    })
    .where('user_no', '=', userNo)
    .execute();
}

/** Notes that a proxy or provider, which names the address's owner, signed in the person for whom this key stands. */
export async function noteProven({ trx }: ChangeTransaction, keyNo: number): Promise<void> {
  await trx
    .updateTable('users')
    .set({ proven_us: databaseUs })
    .where('key_no', '=', keyNo)
    .where('proven_us', 'is', null)
    .execute();
}
