import { newId } from '@vantage/kernel';
import { hashCredential } from '../../platform/secrets/credential.ts';
import type { IdentifiedPerson } from '../../rest/http/person-check.ts';
import { badKey } from '../../rest/http/problem.ts';
import type { SignIn } from '../../rest/http/session.ts';
import { insertSession } from '../../rest/http/session-store.ts';
import { actorOf, type Catalog, createdFields } from '../change.ts';
import { isPasswordHash, noteProven } from '../users/store.ts';

/** Who signs in; of others than people with a password there is none to compare again. */
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
  return catalog.change(actorOf(session), async (transaction) => {
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
