import type { CauseOf } from '@vantage/health';
import { publish, type Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { classifyCounter } from './classify-counter.ts';
import type { KnownAgent, PresenceDeps } from './gateway-store.ts';

/** The database and the writer of its events. */
interface FenceDeps extends PresenceDeps {
  readonly recordEvents: RecordFences;
}

/** Records the events of an agent in the transaction that changed it. */
export type RecordFences = (
  trx: Kysely<Tables>,
  causes: readonly CauseOf<'agent-fenced'>[],
  nowUs: number,
) => Promise<void>;

/**
 * Fences an agent that two processes use. Neither process may connect until an operator unfences the agent. Records an
 * event of the account. False when the agent's row changed meanwhile, so this Hello is no longer that of a copy.
 */
export async function fenceAgent(
  { kysely, agents, recordEvents }: FenceDeps,
  fence: {
    readonly agent: KnownAgent;
    readonly counter: number;
    readonly hostName: string;
    readonly nowUs: number;
  },
): Promise<boolean> {
  const { agent, counter, hostName, nowUs } = fence;
  return kysely.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('agents')
      .select(['name', 'state', 'session_counter', 'host_name'])
      .where('agent_no', '=', agent.agentNo)
      .forUpdate()
      .executeTakeFirst();
    if (!row || row.state === 'Revoked' || row.state === 'Fenced') return false;
    if (classifyCounter({ counter, known: row.session_counter, answers: true }) !== 'copy') return false;
    await agents.fence(trx, agent.agentNo, nowUs);
    const hostNames = [...new Set([row.host_name ?? '', hostName])].filter((name) => name !== '');
    const { accountNo, locationNo, locationName } = agent;
    const location = { accountNo, locationNo, locationName };
    await recordEvents(trx, [{ kind: 'agent-fenced', ...location, agentName: row.name, hostNames }], nowUs);
    await publish(trx, 'revoked', { agent_nos: [agent.agentNo], key_nos: [] });
    await publish(trx, 'catalog', { location_nos: [agent.locationNo] });
    return true;
  });
}
