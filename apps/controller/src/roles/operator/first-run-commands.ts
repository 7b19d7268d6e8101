import { hashCredential } from '@vantage/storage/secrets/credential';
import { awaitTrue } from '../../admin/await-true.ts';
import { provision } from '../../admin/first-run.ts';
import type { CommandGroup } from '../../admin/run-command.ts';
import { findAgentByToken } from '../../catalog/agents/agent-store.ts';
import { openFirstAccount } from '../../resources/first-account.ts';
import { recordEvents } from '../../results/events/record-events.ts';
import type { Operator } from './operator.ts';

/** The commands with which `vantage up` starts a system. */
export function firstRunCommands({ change, clock }: Operator): CommandGroup<'first-run'> {
  return {
    'first-run.provision': (db, request) =>
      change(db, async (transaction) =>
        provision(await openFirstAccount(transaction, { recordEvents, clock }), request),
      ),
    'first-run.await-agent': async ({ kysely }, { agent_token, within_ms }) => {
      const hash = hashCredential(agent_token);
      const isConnected = async () => (await findAgentByToken(kysely, hash))?.state === 'Connected';
      return { connected: await awaitTrue(isConnected, within_ms) };
    },
  };
}
