import type { Hello } from '@vantage/proto';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';
import { judgeCounter } from './judge-counter.ts';

/** An agent that its token identified. */
export interface KnownAgent {
  readonly agentNo: number;
  readonly agentId: string;
  readonly accountNo: number;
  readonly locationNo: number;
  readonly locationName: string;
}

/** The agent that a token belongs to. */
export interface TokenOwner {
  readonly agentNo: number;
  readonly accountNo: number;
  readonly agentId: string;
  readonly state: 'New' | 'Connected' | 'Away' | 'Fenced' | 'Revoked';
}

/** The agent of a token, by the token's SHA-256. */
export async function ownerOfToken(
  db: Kysely<Tables>,
  tokenHash: Uint8Array,
): Promise<TokenOwner | undefined> {
  return db
    .selectFrom('agents')
    .select(['agent_no as agentNo', 'agent_id as agentId', 'account_no as accountNo', 'state'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
}

/** Whether a Hello opens a session. */
export type Opening =
  | { readonly kind: 'open'; readonly agent: KnownAgent }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'revoked' | 'fenced'; readonly agent: KnownAgent }
  /** The Hello's counter is not higher than the known one. */
  | { readonly kind: 'suspect'; readonly agent: KnownAgent; readonly known: number };

/** Agents send a heartbeat every 10 s, and gateways store it every 4 s. So a stream whose end no gateway saw was up at most this much longer. */
const contactWithinUs = 15_000_000;

/**
 * Opens a session in one transaction. The agent's row names it from now on. Spans of sessions whose end no gateway saw are closed at the
 * last moment at which they can have been up, so that an agent that was connected never counts as away.
 */
export async function openSession(
  db: Kysely<Tables>,
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
  return db.transaction().execute(async (trx) => {
    const row = await lockAgent(trx, session.agentNo);
    if (!row) return { kind: 'unknown' };
    const { agent, state, session_counter: known } = row;
    if (state === 'Revoked') return { kind: 'revoked', agent };
    if (state === 'Fenced') return { kind: 'fenced', agent };
    if (judgeCounter({ counter, known, answers: undefined }) !== 'open')
      return { kind: 'suspect', agent, known };
    await sql`
      update connection_spans c set to_us = greatest(c.from_us, least(${nowUs}::bigint, a.last_seen_us + ${contactWithinUs}))
      from agents a where a.agent_no = c.agent_no and c.agent_no = ${agent.agentNo} and c.to_us is null`.execute(
      trx,
    );
    await trx
      .updateTable('agents')
      .set({
        state: 'Connected',
        version: hello.version,
        host_name: hello.hostName,
        boot_id: hello.bootId,
        session_id: sessionId,
        session_counter: counter,
        gateway_id: gatewayId,
        capacity: hello.capacity > 0 ? Math.min(hello.capacity, 10_000_000) : 60_000,
        last_seen_us: nowUs,
        connected_us: nowUs,
        away_since_us: null,
      })
      .where('agent_no', '=', agent.agentNo)
      .execute();
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
    .select(['agent_no', 'agent_id', 'agents.account_no', 'agents.location_no', 'locations.name'])
    .select(['state', 'session_counter'])
    .where('agent_no', '=', agentNo)
    .forUpdate('agents')
    .executeTakeFirst();
  if (!row) return undefined;
  const agent: KnownAgent = {
    agentNo: row.agent_no,
    agentId: row.agent_id,
    accountNo: row.account_no,
    locationNo: row.location_no,
    locationName: row.name,
  };
  return { agent, state: row.state, session_counter: row.session_counter };
}

/** Stores that a session ended; `toUs` is the last moment at which it was surely up. A newer session's row stays unchanged. */
export async function closeSession(
  db: Kysely<Tables>,
  { agentNo, sessionId, toUs }: { agentNo: number; sessionId: string; toUs: number },
): Promise<void> {
  await sql`
    update connection_spans set to_us = greatest(from_us, ${toUs}::bigint)
    where session_id = ${sessionId} and to_us is null`.execute(db);
  await sql`
    update agents set state = 'Away', away_since_us = ${toUs}, last_seen_us = greatest(last_seen_us, ${toUs}::bigint)
    where agent_no = ${agentNo} and session_id = ${sessionId} and state = 'Connected'`.execute(db);
}

/** The status from an agent's heartbeats since the last report. */
export interface AgentStatus {
  readonly agentNo: number;
  readonly sessionId: string;
  readonly lastSeenUs: number;
  readonly clockOffsetUs: number;
  readonly backlogRecords: number;
  readonly latenessP50Ms: number;
  readonly latenessP99Ms: number;
  /** Since the last report. */
  readonly checksSkipped: number;
  readonly offlineReason: string | null;
}

/** Stores the statuses of agents in one statement. */
export async function recordStatus(db: Kysely<Tables>, statuses: readonly AgentStatus[]): Promise<void> {
  if (statuses.length === 0) return;
  const by = <K extends keyof AgentStatus>(key: K) => statuses.map((one) => one[key]);
  await sql`
    update agents a set last_seen_us = g.last_seen_us, clock_offset_us = g.clock_offset_us, backlog_records = g.backlog_records,
      lateness_p50_ms = g.p50, lateness_p99_ms = g.p99, checks_skipped = a.checks_skipped + g.skipped,
      offline_reason = g.offline_reason
    from unnest(
      ${by('agentNo')}::int[], ${by('sessionId')}::text[], ${by('lastSeenUs')}::bigint[],
      ${by('clockOffsetUs')}::bigint[], ${by('backlogRecords')}::bigint[], ${by('latenessP50Ms')}::real[],
      ${by('latenessP99Ms')}::real[], ${by('checksSkipped')}::bigint[], ${by('offlineReason')}::text[]
    ) as g (agent_no, session_id, last_seen_us, clock_offset_us, backlog_records, p50, p99, skipped, offline_reason)
    where a.agent_no = g.agent_no and a.session_id = g.session_id and a.state = 'Connected'`.execute(db);
}

/** The session that an agent's row names now, and the agent's state. */
export interface AgentSessionRow {
  readonly agent_no: number;
  readonly session_id: string | null;
  readonly state: string;
}

/** The present sessions of these agents. */
export async function sessionsOf(
  db: Kysely<Tables>,
  agentNos: readonly number[],
): Promise<AgentSessionRow[]> {
  return db
    .selectFrom('agents')
    .select(['agent_no', 'session_id', 'state'])
    .where(sql<boolean>`agent_no = any(${agentNos}::int[])`)
    .execute();
}

/** Stores that this controller runs and was seen at `nowUs`. */
export async function recordController(
  db: Kysely<Tables>,
  { id, startedUs, nowUs }: { id: string; startedUs: number; nowUs: number },
): Promise<void> {
  await db
    .insertInto('controllers')
    .values({ controller_id: id, started_us: startedUs, last_seen_us: nowUs })
    .onConflict((conflict) =>
      conflict.column('controller_id').doUpdateSet({ started_us: startedUs, last_seen_us: nowUs }),
    )
    .execute();
}

/** Deletes the rows of controllers that were last seen before `beforeUs`. */
export async function deleteControllers(db: Kysely<Tables>, beforeUs: number): Promise<void> {
  await db.deleteFrom('controllers').where('last_seen_us', '<', beforeUs).execute();
}

/**
 * Marks agents as Away, since their last heartbeat, whose gateway ended without closing their sessions. Returns their Locations. With
 * `gatewayId` only the agents of that gateway: a controller that starts marks the sessions of its run before.
 */
export async function markAway(
  db: Kysely<Tables>,
  { nowUs, silentBeforeUs, gatewayId }: { nowUs: number; silentBeforeUs: number; gatewayId?: string },
): Promise<number[]> {
  const isGone =
    gatewayId === undefined ? sql`a.last_seen_us < ${silentBeforeUs}` : sql`a.gateway_id = ${gatewayId}`;
  const { rows } = await sql<{ location_no: number }>`
    with gone as (
      update agents a set state = 'Away', away_since_us = a.last_seen_us
      where a.state = 'Connected' and ${isGone}
      returning a.agent_no, a.location_no, a.session_id, a.last_seen_us
    ), closed as (
      update connection_spans c set to_us = greatest(c.from_us, least(${nowUs}::bigint, gone.last_seen_us + ${contactWithinUs}))
      from gone where c.session_id = gone.session_id and c.to_us is null
    )
    select distinct location_no from gone`.execute(db);
  return rows.map((row) => row.location_no);
}
