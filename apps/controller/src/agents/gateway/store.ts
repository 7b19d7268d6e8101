import { cleanLine } from '@vantage/domain';
import type { Hello } from '@vantage/proto';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import type { AgentPresence } from './agent-presence.ts';
import { classifyCounter } from './classify-counter.ts';

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

/** Whether a Hello opens a session. */
export type Opening =
  | { readonly kind: 'open'; readonly agent: KnownAgent }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'revoked' | 'fenced'; readonly agent: KnownAgent }
  /** The Hello's counter is not higher than the known one. */
  | { readonly kind: 'suspect'; readonly agent: KnownAgent; readonly known: number };

/**
 * Agents send a heartbeat every 10 s, and gateways store it every 4 s. So a stream whose end no gateway saw was up at
 * most this much longer.
 */
const contactWithinUs = 15_000_000;

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

/** A controller's row is written so often; it counts as gone after 15 s. */
const recordEveryUs = 7_000_000;

/** Stores that this controller runs and was seen at `nowUs`, where it was not stored just before. */
export async function recordController(
  db: Kysely<Tables>,
  { id, startedUs, nowUs }: { id: string; startedUs: number; nowUs: number },
): Promise<void> {
  await db
    .insertInto('controllers')
    .values({ controller_id: id, started_us: startedUs, last_seen_us: nowUs })
    .onConflict((conflict) =>
      conflict
        .column('controller_id')
        .doUpdateSet({ started_us: startedUs, last_seen_us: nowUs })
        .where(sql<boolean>`abs(controllers.last_seen_us - ${nowUs}::bigint) >= ${recordEveryUs}
          or controllers.started_us <> ${startedUs}`),
    )
    .execute();
}

/** The gateways that were seen after `seenAfterUs`, and the agents that are connected to them. */
export async function countSessions(
  db: Kysely<Tables>,
  { seenAfterUs }: { readonly seenAfterUs: number },
): Promise<{ readonly gateways: number; readonly all: number }> {
  const { rows } = await sql<{ gateways: number; all: number }>`
    select count(distinct c.controller_id)::int as gateways, count(a.agent_no)::int as all
    from controllers c left join agents a on a.gateway_id = c.controller_id and a.state = 'Connected'
    where c.last_seen_us > ${seenAfterUs}::bigint`.execute(db);
  return rows[0] ?? { gateways: 0, all: 0 };
}

/** Deletes the rows of controllers that were last seen before `beforeUs`. */
export async function deleteControllers(db: Kysely<Tables>, beforeUs: number): Promise<void> {
  await db.deleteFrom('controllers').where('last_seen_us', '<', beforeUs).execute();
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
export async function markAway(
  { kysely, agents }: PresenceDeps,
  which: ({ readonly gatewayId: string } | { readonly silentBeforeUs: number }) & { readonly nowUs: number },
): Promise<number[]> {
  return kysely.transaction().execute(async (trx) => {
    const gone = await agents.markAway(trx, which);
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
