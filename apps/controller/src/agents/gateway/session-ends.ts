import { declareState, type Logger, messageOf } from '@vantage/kernel';
import { bisectBatch, type Db } from '@vantage/storage';
import type { AgentPresence } from './agent-presence.ts';
import type { AgentSession } from './agent-session.ts';
import { closeSession, namesOf } from './gateway-store.ts';
import type { StatusWriter } from './status-writer.ts';

/** Stores the ends of sessions, now or as soon as the database is back. */
interface SessionEnds {
  /** Stores this session's end; a failure is logged, and `write` tries again. */
  add(session: AgentSession): void;
  /** Stores the ends that wait. Rejects when the database cannot be reached. */
  write(): Promise<void>;
  /** Resolves when the attempts that `add` began are over. */
  settled(): Promise<void>;
}

const trackedEnds = declareState({
  name: 'ending_sessions',
  entries: { each: 'agent' },
  entryBytes: 100,
  filledBy: 'agents',
  atBound: 'the limit of connections',
});

/** Creates the writer. `notifyPlanner` is called after each end that was stored. */
export function createSessionEnds({
  kysely,
  agents,
  log,
  status,
  notifyPlanner,
}: {
  readonly kysely: Db['kysely'];
  readonly agents: AgentPresence;
  readonly log: Logger;
  readonly status: StatusWriter;
  readonly notifyPlanner: (locationNos: readonly number[]) => Promise<void>;
}): SessionEnds {
  const waiting = trackedEnds(new Set<AgentSession>());
  let attempts: Promise<void> = Promise.resolve();

  const write = async () => {
    for (const session of waiting) {
      const { agent, sessionId, lastContactUs } = session;
      await status.write([session]);
      const refused = await bisectBatch([session], () =>
        closeSession({ kysely, agents }, { agentNo: agent.agentNo, sessionId, toUs: lastContactUs }),
      );
      waiting.delete(session);
      for (const { error } of refused)
        log.warn(
          { ...namesOf(agent), sessionId, error: messageOf(error) },
          "a session's end cannot be stored",
        );
      log.info({ ...namesOf(agent), sessionId }, 'agent disconnected');
      await notifyPlanner([agent.locationNo]);
    }
  };

  return {
    add(session) {
      waiting.add(session);
      attempts = attempts.then(write).catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, "a session's end is written later");
      });
    },
    write,
    settled: () => attempts,
  };
}
