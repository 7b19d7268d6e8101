import { invitationMinutes, minuteUs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { hashCredential, newCredential } from '@vantage/storage/secrets/credential';
import type { ChangeTransaction } from '../../resources/change.ts';
import { referenceFault } from '../../resources/external-key.ts';
import { createdFields } from '../../resources/field-changes.ts';
import { refuseBeyondLimit } from '../../resources/limited-kinds.ts';
import type { Conflict, Invalid } from '../../resources/refusal.ts';
import { nameTaken } from './agent-write.ts';
import { extendToken, findLocation, insertAgent, readLocationName } from './agent-write-store.ts';

/** The agent that is to be invited. */
interface NewAgent {
  readonly accountNo: number;
  readonly locationNo: number;
  readonly name: string;
  readonly nowUs: number;
  /** A token that was made before, for a database that does not know it. */
  readonly token?: string | undefined;
  /** Another agent may have the name: the host's own one, whose settings were lost. */
  readonly mayShareName?: boolean;
}

const tokenUs = invitationMinutes * minuteUs;

/**
 * Creates an agent at a Location. The answer holds its token, which enrols the agent once; the
 * database keeps only the hash.
 */
export async function inviteAgent(
  transaction: ChangeTransaction,
  { accountNo, locationNo, name, nowUs, token = newCredential() }: NewAgent,
): Promise<{ readonly agentId: string; readonly token: string; readonly expiresUs: number }> {
  const agentId = newId();
  const tokenHash = hashCredential(token);
  const expiresUs = nowUs + tokenUs;
  const agent = { agentId, accountNo, locationNo, name, tokenHash, tokenExpiresUs: expiresUs };
  await insertAgent(transaction, agent);
  const location = await readLocationName(transaction.trx, locationNo);
  const fields = createdFields({ Location: location, Name: name });
  transaction.record({ action: 'create', kind: 'agent', accountNo, id: agentId, fields });
  return { agentId, token, expiresUs };
}

/** `inviteAgent` to a Location of the account by its name or id. */
export async function inviteAgentTo(
  transaction: ChangeTransaction,
  asked: Omit<NewAgent, 'locationNo'> & { readonly location: string },
): Promise<({ readonly kind: 'invited' } & Awaited<ReturnType<typeof inviteAgent>>) | Conflict | Invalid> {
  const { accountNo, location: sent } = asked;
  const location = await findLocation(transaction.trx, accountNo, sent);
  if (location === undefined) {
    const fault = referenceFault(
      'Location',
      'Location',
      'the name or id of a Location of this account',
      sent,
    );
    return { kind: 'invalid', faults: [fault] };
  }
  const refusal = await refuseBeyondLimit(transaction, 'agents', accountNo);
  if (refusal !== undefined) return refusal;
  const { name, mayShareName = false } = asked;
  const taken = mayShareName ? undefined : await nameTaken(transaction, accountNo, name, undefined);
  if (taken !== undefined) return taken;
  const { locationNo } = location;
  return { kind: 'invited', ...(await inviteAgent(transaction, { ...asked, locationNo })) };
}

/** Gives the token of an agent that has not enrolled yet its whole life again. */
export async function extendInvitation(
  transaction: ChangeTransaction,
  { token, nowUs }: { readonly token: string; readonly nowUs: number },
): Promise<void> {
  await extendToken(transaction, hashCredential(token), nowUs + tokenUs);
}
