import type { Session } from './session.ts';

/** The sessions of this controller, one an agent. */
export interface SessionRegistry {
  /** Puts a session in and returns the older one of the same agent, if there was one. */
  add(session: Session): Session | undefined;
  /** Takes it out, unless a newer one has its place. */
  remove(session: Session): void;
  get(agentNo: number): Session | undefined;
  all(): Session[];
}

/** Makes an empty roster. */
export function createSessionRegistry(): SessionRegistry {
  const sessions = new Map<number, Session>();
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
