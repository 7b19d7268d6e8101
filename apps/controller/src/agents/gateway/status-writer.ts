import { declareState, type Logger, messageOf } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import { bisectBatch, type Db } from '@vantage/storage';
import type { AgentPresence } from './agent-presence.ts';
import type { AgentSession } from './agent-session.ts';
import { namesOf } from './gateway-store.ts';

/** Stores the status that agents report in their heartbeats. */
export interface StatusWriter {
  /**
   * One statement for all. An agent whose status the database refuses loses its session; the status of the others is
   * written.
   */
  write(sessions: readonly AgentSession[]): Promise<void>;
}

/** Agents whose refused status was logged. The log has one line for each, however often it connects again. */
const maxRemembered = 1_000;

const trackedAgents = declareState({
  name: 'logged_agents',
  entries: maxRemembered,
  entryBytes: 50,
  filledBy: 'agents with a bad status',
  atBound: 'all are forgotten',
});

/** Creates the writer. */
export function createStatusWriter({
  kysely,
  agents,
  log,
}: {
  readonly kysely: Db['kysely'];
  readonly agents: AgentPresence;
  readonly log: Logger;
}): StatusWriter {
  const logged = trackedAgents(new Set<number>());

  const refuse = (session: AgentSession, error: unknown) => {
    const { agentNo } = session.agent;
    session.end(Goodbye_Reason.UNSPECIFIED, "the controller cannot store this agent's status");
    if (logged.has(agentNo)) return;
    if (logged.size >= maxRemembered) logged.clear();
    logged.add(agentNo);
    log.warn(
      { ...namesOf(session.agent), error: messageOf(error) },
      "an agent's status cannot be stored: its session is ended",
    );
  };

  return {
    async write(sessions) {
      const unstored = new Map(
        sessions.flatMap((session) => {
          const report = session.takeStatus();
          return report ? [[session, report] as const] : [];
        }),
      );
      try {
        const refused = await bisectBatch([...unstored], async (some) => {
          await agents.report(
            kysely,
            some.map(([, report]) => report),
          );
          for (const [session] of some) unstored.delete(session);
        });
        for (const { item, error } of refused) {
          const [session] = item;
          unstored.delete(session);
          refuse(session, error);
        }
      } finally {
        for (const [session, report] of unstored) session.keepStatus(report);
      }
    },
  };
}
