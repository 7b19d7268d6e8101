import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import { databaseUs } from '../../rest/http/key-store.ts';
import type { Level } from '../../rest/http/session.ts';
import type { ChangeTransaction } from '../change.ts';
import { type Scope, shownTags } from '../keys/scope.ts';

/** A person of an account. Times are epoch microseconds. */
export interface UserRow {
  readonly userNo: number;
  readonly userId: string;
  readonly accountNo: number;
  /** The account's name. */
  readonly account: string;
  /** The key that stands for the person. */
  readonly keyNo: number;
  readonly name: string;
  readonly email: string;
  readonly level: Level;
  readonly tagNos: Scope;
  /** The tags of the scope that are there; null: no scope. */
  readonly tags: readonly { readonly tag_id: string; readonly Name: string }[] | null;
  readonly passwordHash: string | null;
  /** An invitation was given, and not accepted. */
  readonly isInvited: boolean;
  /** Such an invitation, whose time is not up. */
  readonly isInvitationOpen: boolean;
  /** The address that the person has from the moment at which they accept it; null: the same. */
  readonly invitationEmail: string | null;
  /** A proxy or provider signed the person in. */
  readonly isProven: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly usedUs: number | null;
}

function users(kysely: Kysely<Tables>) {
  return kysely
    .selectFrom('users as p')
    .innerJoin('api_keys as k', 'k.key_no', 'p.key_no')
    .innerJoin('accounts as a', 'a.account_no', 'p.account_no')
    .leftJoin('key_uses as u', 'u.key_no', 'p.key_no');
}

const columns = [
  'p.user_no as userNo',
  'p.user_id as userId',
  'p.account_no as accountNo',
  'a.name as account',
  'p.key_no as keyNo',
  'k.name',
  'p.email',
  'k.level',
  'k.tag_nos as tagNos',
  shownTags.as('tags'),
  'p.password_hash as passwordHash',
  sql<boolean>`p.invitation_hash is not null`.as('isInvited'),
  sql<boolean>`coalesce(p.invitation_ends_us > ${databaseUs}, false)`.as('isInvitationOpen'),
  'p.invitation_email as invitationEmail',
  sql<boolean>`p.proven_us is not null`.as('isProven'),
  'k.created_at as createdAt',
  'k.updated_at as updatedAt',
  'u.used_us as usedUs',
] as const;

/** A page of the account's people by name, and how many there are. */
export async function listUsers(
  kysely: Kysely<Tables>,
  accountNo: number,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly rows: readonly UserRow[]; readonly total: number }> {
  const own = users(kysely).where('p.account_no', '=', accountNo);
  const [rows, { total }] = await Promise.all([
    own
      .select(columns)
      .orderBy('k.name')
      .orderBy('p.user_no')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    own.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}

/** The account's person with this id. */
export async function readUser(
  kysely: Kysely<Tables>,
  accountNo: number,
  userId: string,
): Promise<UserRow | undefined> {
  return users(kysely)
    .select(columns)
    .where('p.account_no', '=', accountNo)
    .where('p.user_id', '=', userId)
    .executeTakeFirst();
}

/** The account's person with this e-mail address, which is in small letters. */
export async function readUserByEmail(
  kysely: Kysely<Tables>,
  accountNo: number,
  email: string,
): Promise<UserRow | undefined> {
  return users(kysely)
    .select(columns)
    .where('p.account_no', '=', accountNo)
    .where('p.email', '=', email)
    .executeTakeFirst();
}

/** The person for whom a key stands. */
export async function readUserOfKey(kysely: Kysely<Tables>, keyNo: number): Promise<UserRow | undefined> {
  return users(kysely).select(columns).where('p.key_no', '=', keyNo).executeTakeFirst();
}

/** Whether this is the stored text of the password of the person for whom a key stands. */
export async function isPasswordHash(
  { trx }: Pick<ChangeTransaction, 'trx'>,
  keyNo: number,
  passwordHash: string,
): Promise<boolean> {
  const user = await readUserOfKey(trx, keyNo);
  return user?.passwordHash === passwordHash;
}

/**
 * The person whose invitation has a token with this SHA-256 and has not ended. With `lock` nobody else accepts it
 * meanwhile.
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

/** Whether another person of the account has this e-mail address, which is in small letters. */
export async function isEmailTaken(
  trx: Kysely<Tables>,
  {
    accountNo,
    email,
    userNo,
  }: { readonly accountNo: number; readonly email: string; readonly userNo?: number },
): Promise<boolean> {
  const row = await trx
    .selectFrom('users')
    .select('user_no')
    .where('account_no', '=', accountNo)
    .where('email', '=', email)
    .executeTakeFirst();
  return row !== undefined && row.user_no !== userNo;
}

/** Inserts a person, for whom the key with this id stands. Returns that key's number. */
export async function insertUser(
  { trx }: ChangeTransaction,
  user: {
    readonly userId: string;
    readonly accountNo: number;
    readonly keyId: string;
    readonly email: string;
  },
): Promise<number> {
  const { key_no } = await trx
    .selectFrom('api_keys')
    .select('key_no')
    .where('key_id', '=', user.keyId)
    .executeTakeFirstOrThrow();
  await trx
    .insertInto('users')
    .values({ user_id: user.userId, account_no: user.accountNo, key_no, email: user.email })
    .execute();
  return key_no;
}

/** Writes the e-mail address of a person. */
export async function updateEmail({ trx }: ChangeTransaction, userNo: number, email: string): Promise<void> {
  await trx.updateTable('users').set({ email }).where('user_no', '=', userNo).execute();
}

/** Gives a person an invitation in the place of one before, with the address that it brings. Returns its end. */
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

/** Gives a person a password; an invitation is over. */
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

/** Deletes a person. False: somebody did before. */
export async function deleteUser({ trx }: ChangeTransaction, userNo: number): Promise<boolean> {
  const row = await trx
    .deleteFrom('users')
    .where('user_no', '=', userNo)
    .returning('user_no')
    .executeTakeFirst();
  return row !== undefined;
}
