import { type Logger, messageOf } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import type { Db } from '@vantage/storage';
import type { AgentSession } from './agent-session.ts';
import { type AgentSessionRow, sessionsOf } from './gateway-store.ts';
import { goodbyeOf } from './goodbye.ts';
import type { GoodbyeNotice } from './session-state.ts';

/** Compares sessions with their agents' rows. */
export interface SessionReview {
  /**
   * Ends sessions that another one replaced, or whose agent is revoked, fenced or moved. Rejects when the database
   * cannot be reached.
   */
  run(sessions: readonly AgentSession[]): Promise<void>;
  /** The same, not waited for; a failure is logged. */
  begin(sessions: readonly AgentSession[]): void;
}

/** Creates the review. */
export function createSessionReview({
  kysely,
  log,
}: {
  readonly kysely: Db['kysely'];
  readonly log: Logger;
}): SessionReview {
  const run: SessionReview['run'] = async (sessions) => {
    if (sessions.length === 0) return;
    const rows = await sessionsOf(
      kysely,
      sessions.map((session) => session.agent.agentNo),
    );
    const byAgent = new Map(rows.map((row) => [row.agent_no, row]));
    for (const session of sessions) {
      const goodbye = goodbyeFor(session, byAgent.get(session.agent.agentNo));
      if (goodbye !== undefined) session.end(goodbye.reason, goodbye.text);
    }
  };
  return {
    run,
    begin(sessions) {
      run(sessions).catch((error: unknown) => {
        log.warn(
          { error: messageOf(error) },
          'sessions cannot be reviewed now; the next review is within 4 s',
        );
      });
    },
  };
}

/** The reason to end a session, by its agent's row; undefined: the session continues. Pure. */
export function goodbyeFor(
  session: Pick<AgentSession, 'agent' | 'sessionId' | 'counter' | 'ended'>,
  row: AgentSessionRow | undefined,
): GoodbyeNotice | undefined {
  const { agentId } = session.agent;
  if (row === undefined || row.state === 'Revoked') return goodbyeOf('revoked', agentId);
  if (row.state === 'Fenced') return goodbyeOf('fenced', agentId);
  // A restored or promoted database may be of a time before this session. The agent did nothing wrong, so it does not
  // wait.
  if (row.session_id !== session.sessionId && row.session_counter < session.counter)
    return { reason: Goodbye_Reason.SHUTDOWN, text: 'the database went back: connect again' };
  if (row.session_id !== session.sessionId)
    return { reason: Goodbye_Reason.REPLACED, text: 'a newer session of this agent came' };
  if (row.location_no !== session.agent.locationNo)
    return { reason: Goodbye_Reason.UNSPECIFIED, text: 'this agent was moved to another Location' };
  // Other controllers closed the spans of this one, because it stalled. The agent must open a new session.
  if (row.state === 'Away' && !session.ended)
    return { reason: Goodbye_Reason.SHUTDOWN, text: 'this controller was away: connect again' };
  return undefined;
}
