import type { PersonInForce } from '@vantage/rest-kit/callers-in-force';
import { maxAccounts } from '@vantage/rest-kit/choose-account';
import type { Db } from '@vantage/storage';
import { sql } from 'kysely';
import { keysInForce } from '../keys/keys-in-force-store.ts';

/**
 * Asks the database for the people in force with this e-mail address: of the account with this name, else of all, at
 * most 20, those first who were signed in by a proxy or provider before.
 */
export async function findPeople(
  db: Pick<Db, 'kysely'>,
  email: string,
  account: string | undefined,
): Promise<readonly PersonInForce[]> {
  const found = await keysInForce(db)
    .innerJoin('users', 'users.key_no', 'api_keys.key_no')
    .select([
      'key_hash as hash',
      'accounts.name as account',
      'password_hash as passwordHash',
      sql<boolean>`proven_us is not null`.as('isProven'),
    ])
    .where('email', '=', email)
    .$if(account !== undefined, (query) => query.where('accounts.name', '=', account ?? ''))
    .orderBy(sql`proven_us is null`)
    .orderBy('user_no')
    .limit(maxAccounts)
    .execute();
  return found.map((person) => {
    const { account: name, passwordHash, isProven, isUseOld: _, ...row } = person;
    return { account: name, passwordHash, isProven, row };
  });
}
