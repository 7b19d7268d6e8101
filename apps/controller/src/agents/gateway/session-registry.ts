import { declareState } from '@vantage/kernel';
import type { AgentSession } from './agent-session.ts';

/** The sessions of this controller, one for each agent. */
export interface SessionRegistry {
  /** Adds a session and returns the older one of the same agent, if there was one. */
  add(session: AgentSession): AgentSession | undefined;
  /** Removes a session, unless a newer one of the same agent replaced it. */
  remove(session: AgentSession): void;
  get(agentNo: number): AgentSession | undefined;
  all(): AgentSession[];
}

const trackedSessions = declareState({
  name: 'agent_sessions',
  entries: { each: 'agent' },
  entryBytes: 65_536,
  filledBy: 'agents',
  atBound: 'the limit of connections',
});

/** Creates an empty registry. */
export function createSessionRegistry(): SessionRegistry {
  const sessions = trackedSessions(new Map<number, AgentSession>());
  return {
    add(session) {
      const older = sessions.get(session.agent.agentNo);
      sessions.set(session.agent.agentNo, session);
      return older;
    },
    remove(session) {
      if (sessions.get(session.agent.agentNo) === session) sessions.delete(session.agent.agentNo);
    },
    get: (agentNo) => sessions.get(agentNo),
    all: () => [...sessions.values()],
  };
}
