import { cleanLine } from '@vantage/domain';
import type { Hello } from '@vantage/proto';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { classifyCounter } from './classify-counter.ts';
import { contactWithinUs } from './contact-interval.ts';
import type { KnownAgent, PresenceDeps } from './gateway-store.ts';

/** Whether a Hello opens a session. */
export type Opening =
  | { readonly kind: 'open'; readonly agent: KnownAgent }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'revoked' | 'fenced'; readonly agent: KnownAgent }
  /** The Hello's counter is not higher than the known one. */
  | { readonly kind: 'suspect'; readonly agent: KnownAgent; readonly known: number };

/**
 * Opens a session in one transaction. The agent's row names it from now on. Spans of sessions whose end no gateway saw
 * are closed at the last moment at which they can have been up, so that an agent that was connected never counts as
 * away.
 */
export async function openSession(
  { kysely, agents }: PresenceDeps,
  session: {
    readonly agentNo: number;
    readonly hello: Hello;
    readonly sessionId: string;
    readonly gatewayId: string;
    readonly nowUs: number;
  },
): Promise<Opening> {
  const { hello, sessionId, gatewayId, nowUs } = session;
  const counter = Number(hello.sessionCounter);
  return kysely.transaction().execute(async (trx) => {
    const row = await lockAgent(trx, session.agentNo);
    if (!row) return { kind: 'unknown' };
    const { agent, state, session_counter: known } = row;
    if (state === 'Revoked') return { kind: 'revoked', agent };
    if (state === 'Fenced') return { kind: 'fenced', agent };
    if (classifyCounter({ counter, known, answers: undefined }) !== 'open')
      return { kind: 'suspect', agent, known };
    await sql`
      update connection_spans c set to_us = greatest(c.from_us, least(${nowUs}::bigint, a.last_seen_us + ${contactWithinUs}))
      from agents a where a.agent_no = c.agent_no and c.agent_no = ${agent.agentNo} and c.to_us is null`.execute(
      trx,
    );
    await agents.connect(trx, {
      agentNo: agent.agentNo,
      sessionId,
      counter,
      gatewayId,
      nowUs,
      version: cleanLine(hello.version),
      hostName: cleanLine(hello.hostName),
      bootId: hello.bootId,
      tracesOnRequest: hello.tracesOnRequest,
      architecture: hello.architecture === '' ? null : cleanLine(hello.architecture),
      upgradeFault: hello.upgradeFault === '' ? null : cleanLine(hello.upgradeFault),
      capacity: hello.capacity > 0 ? Math.min(hello.capacity, 10_000_000) : 60_000,
    });
    await trx
      .insertInto('connection_spans')
      .values({
        agent_no: agent.agentNo,
        location_no: agent.locationNo,
        from_us: nowUs,
        to_us: null,
        session_id: sessionId,
      })
      .execute();
    return { kind: 'open', agent };
  });
}

/** The agent's row, locked until the transaction ends. */
async function lockAgent(trx: Kysely<Tables>, agentNo: number) {
  const row = await trx
    .selectFrom('agents')
    .innerJoin('locations', 'locations.location_no', 'agents.location_no')
    .select(['agent_no', 'agent_id', 'agents.account_no', 'agents.location_no'])
    .select(['agents.name as agent_name', 'locations.name', 'state', 'session_counter'])
    .where('agent_no', '=', agentNo)
    .forUpdate('agents')
    .executeTakeFirst();
  if (!row) return undefined;
  const agent: KnownAgent = {
    agentNo: row.agent_no,
    agentId: row.agent_id,
    agentName: row.agent_name,
    accountNo: row.account_no,
    locationNo: row.location_no,
    locationName: row.name,
  };
  return { agent, state: row.state, session_counter: row.session_counter };
}
