import { newId } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { publish, type Tables } from '../db/index.ts';
import { judgeCounter } from './judge-counter.ts';
import type { KnownAgent } from './store.ts';

/**
 * Fences an agent whose copy was seen: neither of the two may connect until an operator lifts it. The account's event says so. False
 * when the agent's row has moved on meanwhile and the Hello is no copy's any more.
 */
export async function fenceAgent(
  db: Kysely<Tables>,
  fence: {
    readonly agent: KnownAgent;
    readonly counter: number;
    readonly hostName: string;
    readonly nowUs: number;
  },
): Promise<boolean> {
  const { agent, counter, hostName, nowUs } = fence;
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('agents')
      .select(['name', 'state', 'session_counter', 'host_name'])
      .where('agent_no', '=', agent.agentNo)
      .forUpdate()
      .executeTakeFirst();
    if (!row || row.state === 'Revoked' || row.state === 'Fenced') return false;
    if (judgeCounter({ counter, known: row.session_counter, answers: true }) !== 'copy') return false;
    await trx
      .updateTable('agents')
      .set({ state: 'Fenced', away_since_us: nowUs })
      .where('agent_no', '=', agent.agentNo)
      .execute();
    const hosts = [...new Set([row.host_name ?? '', hostName])].filter((name) => name !== '').join(' and ');
    await trx
      .insertInto('events')
      .values({
        event_id: newId(),
        account_no: agent.accountNo,
        device_no: null,
        at_us: nowUs,
        type: 'AgentFenced',
        status: 'Unknown',
        location_no: agent.locationNo,
        message: `Agent ${row.name} of Location ${agent.locationName} is fenced, its identity is used twice (hosts: ${hosts})`,
        recorded_us: nowUs,
      })
      .execute();
    await publish(trx, 'revoked', { agent_nos: [agent.agentNo], key_nos: [] });
    await publish(trx, 'catalog', { location_nos: [agent.locationNo] });
    return true;
  });
}
