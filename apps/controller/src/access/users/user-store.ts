import type { Level } from '@vantage/rest-kit/session';
import { databaseUs, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import { type Scope, shownTags } from '../keys/key-scope.ts';

/** A person of an account. Times are epoch microseconds. */
export interface UserRow {
  readonly userNo: number;
  readonly userId: string;
  readonly accountNo: number;
  /** The account's name. */
  readonly account: string;
  /** The key that represents the person. */
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

export function users(kysely: Kysely<Tables>) {
  return kysely
    .selectFrom('users as p')
    .innerJoin('api_keys as k', 'k.key_no', 'p.key_no')
    .innerJoin('accounts as a', 'a.account_no', 'p.account_no')
    .leftJoin('key_uses as u', 'u.key_no', 'p.key_no');
}

export const columns = [
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
  const people = users(kysely).where('p.account_no', '=', accountNo);
  const [rows, { total }] = await Promise.all([
    people
      .select(columns)
      .orderBy('k.name')
      .orderBy('p.user_no')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    people.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
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

/** Deletes a person. False: they were deleted before. */
export async function deleteUser({ trx }: ChangeTransaction, userNo: number): Promise<boolean> {
  const row = await trx
    .deleteFrom('users')
    .where('user_no', '=', userNo)
    .returning('user_no')
    .executeTakeFirst();
  return row !== undefined;
}
