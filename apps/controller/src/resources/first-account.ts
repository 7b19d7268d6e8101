import { type Clock, Fault } from '@vantage/kernel';
import { hashCredential } from '@vantage/storage/secrets/credential';
import { findAccountNo } from '../access/accounts/account-store.ts';
import { createAccount } from '../access/accounts/account-write.ts';
import { issueKey } from '../access/keys/issue-key.ts';
import { isKeyRevoked } from '../access/keys/key-store.ts';
import { findAgentByToken } from '../catalog/agents/agent-store.ts';
import type { RecordRevocations } from '../catalog/agents/agent-write.ts';
import { extendInvitation, inviteAgentTo } from '../catalog/agents/invite-agent.ts';
import { revokeAgent } from '../catalog/agents/remove-agent.ts';
import { createLocation } from '../catalog/locations/location-write.ts';
import type { ChangeTransaction } from './change.ts';
import { refusalText } from './refusal.ts';

/** Of the first run: the account, and its Location at which the agent of this machine runs. */
const [firstAccount, firstLocation] = ['default', 'local'];

/** The account `default` with its Location `local`, which are made when they are missing. */
export async function openFirstAccount(
  transaction: ChangeTransaction,
  { recordEvents, clock }: { readonly recordEvents: RecordRevocations; readonly clock: Pick<Clock, 'nowUs'> },
) {
  const { trx } = transaction;
  // It holds the lock of the account names until the commit, so two first starts on one database make one account.
  await createAccount(transaction, { name: firstAccount, timezone: 'UTC' });
  const accountNo = await findAccountNo(trx, firstAccount);
  if (accountNo === undefined) throw new Fault('drop', 'no_account', `there is no account ${firstAccount}`);
  await createLocation(transaction, { accountNo, name: firstLocation, nowUs: clock.nowUs() });
  return {
    async stateOfKey(key: string): Promise<'unknown' | 'revoked' | 'in-force'> {
      const isRevoked = await isKeyRevoked(trx, hashCredential(key));
      return isRevoked === undefined ? 'unknown' : isRevoked ? 'revoked' : 'in-force';
    },
    issueKey: async (level: 'UA' | 'UW' | 'UR', key: string | undefined) =>
      (await issueKey(transaction, { accountNo, level, name: 'first run', key })).key,
    async agentWithToken(token: string) {
      const agent = await findAgentByToken(trx, hashCredential(token));
      const hasSessions = agent !== undefined && (agent.session_counter > 0 || agent.key_hash !== null);
      return agent && { agentId: agent.agent_id, isRevoked: agent.state === 'Revoked', hasSessions };
    },
    async inviteAgent(name: string, token: string | undefined) {
      const invitation = { accountNo, location: firstLocation, name, token, nowUs: clock.nowUs() };
      const invited = await inviteAgentTo(transaction, { ...invitation, mayShareName: true });
      if (invited.kind !== 'invited') throw new Fault('drop', 'no_location', refusalText(invited));
      return invited.token;
    },
    extendInvitation: (token: string) => extendInvitation(transaction, { token, nowUs: clock.nowUs() }),
    async revokeAgent(agentId: string) {
      await revokeAgent(transaction, { agentId }, { recordEvents, nowUs: clock.nowUs() });
    },
  };
}
