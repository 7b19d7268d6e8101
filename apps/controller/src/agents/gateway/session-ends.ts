import { declareState, type Logger, messageOf } from '@vantage/kernel';
import { type Db, doEach } from '../../platform/db/index.ts';
import type { AgentPresence } from './agent-presence.ts';
import type { Session } from './session.ts';
import { closeSession, namesOf } from './store.ts';

/** Stores the ends of sessions, now or as soon as the database is back. */
export interface SessionEnds {
  /** Stores this session's end; a failure is logged, and `write` tries again. */
  add(session: Session): void;
  /** Stores the ends that wait. Rejects when the database cannot be reached. */
  write(): Promise<void>;
  /** Resolves when the attempts that `add` began are over. */
  settled(): Promise<void>;
}

const tracked = declareState({
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
  notifyPlanner,
}: {
  readonly kysely: Db['kysely'];
  readonly agents: AgentPresence;
  readonly log: Logger;
  readonly notifyPlanner: (locationNos: readonly number[]) => Promise<void>;
}): SessionEnds {
  const waiting = tracked(new Set<Session>());
  let attempts: Promise<void> = Promise.resolve();

  const write = async () => {
    for (const session of waiting) {
      const { agent, sessionId, lastContactUs } = session;
      const refused = await doEach([session], () =>
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
