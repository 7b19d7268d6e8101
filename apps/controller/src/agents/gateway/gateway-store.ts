import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { AgentPresence } from './agent-presence.ts';
import { contactWithinUs } from './contact-interval.ts';

/** The database, and the writer of its agents. */
export interface PresenceDeps {
  readonly kysely: Kysely<Tables>;
  readonly agents: AgentPresence;
}

/** An agent that its certificate identified. */
export interface KnownAgent {
  readonly agentNo: number;
  readonly agentId: string;
  readonly agentName: string;
  readonly accountNo: number;
  readonly locationNo: number;
  readonly locationName: string;
}

/** The names of an agent for a line of the log. */
export function namesOf({ agentName, locationName }: Pick<KnownAgent, 'agentName' | 'locationName'>): {
  readonly agent: string;
  readonly location: string;
} {
  return { agent: agentName, location: locationName };
}

/** The agent that a certificate's key belongs to. */
export interface KeyOwner {
  readonly agentNo: number;
  readonly accountNo: number;
  readonly agentId: string;
  readonly state: 'New' | 'Connected' | 'Away' | 'Fenced' | 'Revoked';
}

/** The agent of a public key, by the key's SHA-256. */
export async function ownerOfKey(db: Kysely<Tables>, keyHash: Uint8Array): Promise<KeyOwner | undefined> {
  return db
    .selectFrom('agents')
    .select(['agent_no as agentNo', 'agent_id as agentId', 'account_no as accountNo', 'state'])
    .where('key_hash', '=', keyHash)
    .executeTakeFirst();
}

/**
 * Stores that a session ended; `toUs` is the last moment at which it was surely up. A newer session's row stays
 * unchanged.
 */
export async function closeSession(
  { kysely, agents }: PresenceDeps,
  session: { readonly agentNo: number; readonly sessionId: string; readonly toUs: number },
): Promise<void> {
  await sql`
    update connection_spans set to_us = greatest(from_us, ${session.toUs}::bigint)
    where session_id = ${session.sessionId} and to_us is null`.execute(kysely);
  await agents.disconnect(kysely, session);
}

/** The session that an agent's row names now, the agent's state and its Location. */
export interface AgentSessionRow {
  readonly agent_no: number;
  readonly session_id: string | null;
  /** The number of the latest session that opened. */
  readonly session_counter: number;
  readonly state: string;
  readonly location_no: number;
}

/** The present sessions of these agents. */
export async function sessionsOf(
  db: Kysely<Tables>,
  agentNos: readonly number[],
): Promise<AgentSessionRow[]> {
  return db
    .selectFrom('agents')
    .select(['agent_no', 'session_id', 'session_counter', 'state', 'location_no'])
    .where(sql<boolean>`agent_no = any(${agentNos}::int[])`)
    .execute();
}

/**
 * Ends the spans of agents that were revoked, fenced or moved while their gateway was dead: their rows say no longer
 * that they are connected, and no gateway has their streams.
 */
async function endOrphanSpans(
  trx: Kysely<Tables>,
  which: ({ readonly gatewayId: string } | { readonly silentBeforeUs: number }) & { readonly nowUs: number },
): Promise<void> {
  const isOrphan =
    'gatewayId' in which
      ? sql`a.gateway_id = ${which.gatewayId}`
      : sql`a.last_seen_us < ${which.silentBeforeUs}::bigint`;
  await sql`
    update connection_spans c set to_us = greatest(c.from_us, least(${which.nowUs}::bigint, a.last_seen_us + ${contactWithinUs}))
    from agents a where a.agent_no = c.agent_no and c.to_us is null and a.state <> 'Connected' and ${isOrphan}`.execute(
    trx,
  );
}

/**
 * Marks agents as Away, since their last heartbeat, whose gateway ended without closing their sessions. Returns their
 * Locations. With `gatewayId` only the agents of that gateway: a controller that starts marks the sessions of its run
 * before.
 */
export async function setAway(
  { kysely, agents }: PresenceDeps,
  which: ({ readonly gatewayId: string } | { readonly silentBeforeUs: number }) & { readonly nowUs: number },
): Promise<number[]> {
  return kysely.transaction().execute(async (trx) => {
    const gone = await agents.setAway(trx, which);
    await endOrphanSpans(trx, which);
    if (gone.length === 0) return [];
    await sql`
      update connection_spans c set to_us = greatest(c.from_us, least(${which.nowUs}::bigint, gone.last_seen_us + ${contactWithinUs}))
      from unnest(${gone.map(({ sessionId }) => sessionId)}::text[], ${gone.map(({ lastSeenUs }) => lastSeenUs)}::bigint[])
        as gone (session_id, last_seen_us)
      where c.session_id = gone.session_id and c.to_us is null`.execute(trx);
    return [...new Set(gone.map(({ locationNo }) => locationNo))];
  });
}
