import { newId } from '@vantage/kernel';
import type { IdentifiedPerson } from '@vantage/rest-kit/person-check';
import { badKey } from '@vantage/rest-kit/problem';
import type { SignIn } from '@vantage/rest-kit/session';
import type { Db } from '@vantage/storage';
import { hashCredential } from '@vantage/storage/secrets/credential';
import { actorOf, type Catalog } from '../../resources/change.ts';
import { createdFields } from '../../resources/field-changes.ts';
import { insertSession } from '../sessions/session-store.ts';
import { noteProven } from '../users/invited-store.ts';
import { isPasswordHash } from '../users/user-store.ts';

/** The caller who signs in. Only people with a password have a hash to compare again. */
export type Identified = Omit<IdentifiedPerson, 'passwordHash'> & {
  readonly passwordHash: string | null;
  /** A proxy or provider named the person by the e-mail address. */
  readonly isProven: boolean;
};

/**
 * Begins a session and records it. `token` is its secret. Throws a Problem (1001) where the password was changed
 * meanwhile.
 */
export async function beginSession(
  db: Db,
  catalog: Catalog,
  {
    session,
    passwordHash,
    isProven,
    token,
    isByProvider,
  }: Identified & { readonly token: string; readonly isByProvider: boolean },
): Promise<Pick<SignIn, 'sessionNo' | 'endsUs'>> {
  const { keyNo, accountNo, keyName, level } = session;
  const sessionId = newId();
  return catalog.change(db, actorOf(session), async (transaction) => {
    // Another password ends the sessions that there are; none may begin with the one before afterwards.
    if (passwordHash !== null && !(await isPasswordHash(transaction, keyNo, passwordHash)))
      throw badKey('The password was changed meanwhile.');
    if (isProven) await noteProven(transaction, keyNo);
    const begun = await insertSession(transaction.trx, {
      sessionId,
      tokenHash: hashCredential(token),
      keyNo,
      isByProvider,
    });
    const fields = createdFields({ Key: keyName, Level: level });
    transaction.record({ action: 'create', kind: 'session', accountNo, id: sessionId, fields });
    return begun;
  });
}
