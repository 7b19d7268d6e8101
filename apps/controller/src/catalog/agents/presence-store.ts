import { sql } from 'kysely';
import type { AgentPresence, AgentSessionStatus } from '../../agents/gateway/index.ts';

/**
 * Stores the columns of agents that gateways observe; times are microseconds since 1970. No actor changes anything
 * here.
 */
export const agentPresence: AgentPresence = {
  async connect(trx, session) {
    const { nowUs } = session;
    await trx
      .updateTable('agents')
      .set({
        state: 'Connected',
        version: session.version,
        host_name: session.hostName,
        boot_id: session.bootId,
        architecture: session.architecture,
        upgrade_fault: session.upgradeFault,
        session_id: session.sessionId,
        session_counter: session.counter,
        gateway_id: session.gatewayId,
        capacity: session.capacity,
        traces_on_request: session.tracesOnRequest,
        last_seen_us: nowUs,
        connected_us: nowUs,
        away_since_us: null,
        leaving_since_us: null,
        // The reports of its last session may be outdated.
        anchor_states: '[]',
      })
      .where('agent_no', '=', session.agentNo)
      .execute();
  },

  async leave(kysely, { agentNo, sessionId, nowUs }) {
    const { rows } = await sql<{ hasOthers: boolean }>`
      update agents a set leaving_since_us = ${nowUs}::bigint
      where agent_no = ${agentNo} and session_id = ${sessionId} and state = 'Connected'
      returning exists (select from agents o where o.location_no = a.location_no and o.agent_no <> a.agent_no
        and o.state = 'Connected' and o.leaving_since_us is null) as "hasOthers"`.execute(kysely);
    return rows[0]?.hasOthers ?? false;
  },

  async disconnect(kysely, { agentNo, sessionId, toUs }) {
    await sql`
      update agents set state = 'Away', away_since_us = ${toUs}, last_seen_us = greatest(last_seen_us, ${toUs}::bigint)
      where agent_no = ${agentNo} and session_id = ${sessionId} and state = 'Connected'`.execute(kysely);
  },

  async report(kysely, reports) {
    if (reports.length === 0) return;
    const by = <K extends keyof AgentSessionStatus>(key: K) => reports.map((one) => one[key]);
    await sql`
      update agents a set last_seen_us = g.last_seen_us, clock_offset_us = g.clock_offset_us, backlog_records = g.backlog_records,
        lateness_p50_ms = g.p50, lateness_p99_ms = g.p99, offline_reason = g.offline_reason, anchor_states = g.anchors
      from unnest(
        ${by('agentNo')}::int[], ${by('sessionId')}::text[], ${by('lastSeenUs')}::bigint[],
        ${by('clockOffsetUs')}::bigint[], ${by('backlogRecords')}::bigint[], ${by('latenessP50Ms')}::real[],
        ${by('latenessP99Ms')}::real[], ${by('offlineReason')}::text[],
        ${by('anchors').map((anchors) => JSON.stringify(anchors))}::jsonb[]
      ) as g (agent_no, session_id, last_seen_us, clock_offset_us, backlog_records, p50, p99, offline_reason, anchors)
      where a.agent_no = g.agent_no and a.session_id = g.session_id and a.state = 'Connected'`.execute(
      kysely,
    );
    const skipped = reports.filter((one) => one.checksSkipped > 0);
    if (skipped.length === 0) return;
    await sql`
      update agents a set checks_skipped = a.checks_skipped + g.skipped
      from (
        select agent_no, sum(skipped)::bigint as skipped
        from unnest(${skipped.map((one) => one.agentNo)}::int[], ${skipped.map((one) => one.checksSkipped)}::bigint[])
          as one (agent_no, skipped)
        group by agent_no
      ) as g
      where a.agent_no = g.agent_no`.execute(kysely);
  },

  async fence(trx, agentNo, nowUs) {
    await trx
      .updateTable('agents')
      .set({ state: 'Fenced', away_since_us: nowUs })
      .where('agent_no', '=', agentNo)
      .execute();
  },

  async setAway(trx, which) {
    const isGone =
      'gatewayId' in which
        ? sql`gateway_id = ${which.gatewayId}`
        : sql`last_seen_us < ${which.silentBeforeUs}`;
    const { rows } = await sql<{ locationNo: number; sessionId: string | null; lastSeenUs: number }>`
      update agents set state = 'Away', away_since_us = last_seen_us
      where state = 'Connected' and ${isGone}
      returning location_no as "locationNo", session_id as "sessionId", last_seen_us as "lastSeenUs"`.execute(
      trx,
    );
    return rows;
  },
};
