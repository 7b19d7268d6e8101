import { Code, ConnectError } from '@connectrpc/connect';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { type ConnectRequest, type ConnectResponse, Goodbye_Reason, type Hello } from '@vantage/proto';
import type { AgentSession } from './agent-session.ts';
import { type KeyOwner, type KnownAgent, namesOf } from './gateway-store.ts';
import { sendAway } from './goodbye.ts';
import { helloProblem } from './hello-problem.ts';
import type { MessageMemory } from './message-memory.ts';
import type { PresenceMonitor } from './presence-monitor.ts';
import type { OpenedSession, SessionOpener } from './session-opener.ts';
import type { SessionRegistry } from './session-registry.ts';
import type { Caller } from './stream-handler.ts';

/**
 * The stream of an agent whose token is known and valid, from its Hello to its end. Throws a ConnectError for the
 * trailers.
 */
export type ServeSession = (
  requests: AsyncIterable<ConnectRequest>,
  owner: KeyOwner,
  caller: Caller,
) => AsyncGenerator<ConnectResponse>;

const helloWithinMs = 10_000;

interface SessionStreamDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly memory: MessageMemory;
  readonly opener: SessionOpener;
  readonly registry: SessionRegistry;
  readonly presence: Pick<PresenceMonitor, 'notifyPlanner' | 'ended'>;
  /** Called when an agent's session opens or ends. */
  readonly onAgentSeen: (agent: KnownAgent) => void;
}

/** Serves a stream: it awaits the Hello, opens a session, and sends the session's messages while it reads. */
export function createSessionStream(deps: SessionStreamDeps): ServeSession {
  const { clock, log, memory, opener, registry, presence, onAgentSeen } = deps;

  const enter = async (session: AgentSession, version: string) => {
    const { agent, sessionId } = session;
    const { agentNo, locationNo } = agent;
    registry.add(session)?.end(Goodbye_Reason.REPLACED, 'a newer session of this agent came');
    log.info({ ...namesOf(agent), sessionId, version }, 'agent connected');
    onAgentSeen(agent);
    await presence.notifyPlanner([locationNo], { agentNo, sessionId }).catch((error: unknown) => {
      log.debug(
        { error: messageOf(error) },
        'the planner is not notified; it reads the agents at its next poll',
      );
    });
  };
  const leave = (session: AgentSession) => {
    session.abandon();
    registry.remove(session);
    onAgentSeen(session.agent);
    presence.ended(session);
  };

  return async function* (requests, owner, caller) {
    const iterator = requests[Symbol.asyncIterator]();
    const hello = await firstHello(iterator, clock);
    const problem = helloProblem(hello);
    if (problem !== undefined) throw new ConnectError(problem, Code.InvalidArgument);
    caller.gate.admit(memory(owner, caller.signal));
    const opened = await opener.open(owner.agentNo, hello, caller).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'a session cannot be opened');
      throw new ConnectError('the controller cannot reach its database: try again', Code.Unavailable);
    });
    if (opened.kind !== 'session') return yield* refuse(opened);
    const { session } = opened;
    await enter(session, hello.version);
    // Reading ends by itself when the transport is gone. On a half-open link that is only when the transport is cut, so
    // nothing waits for it.
    void session.read({ [Symbol.asyncIterator]: () => iterator });
    caller.signal.addEventListener('abort', () => session.abandon(), { once: true });
    try {
      yield* session.messages();
      if (session.refusal !== undefined) throw session.refusal;
    } finally {
      leave(session);
    }
  };
}

/** Ends the stream of an agent that gets no session. */
async function* refuse(
  opened: Exclude<OpenedSession, { readonly kind: 'session' }>,
): AsyncGenerator<ConnectResponse, never> {
  switch (opened.kind) {
    case 'unknown':
      throw new ConnectError('unknown agent', Code.Unauthenticated);
    case 'revoked':
    case 'fenced':
      return yield* sendAway(opened.kind, opened.agent);
    case 'late':
      throw new ConnectError('a newer session of this agent came meanwhile', Code.Aborted);
  }
}

async function firstHello(iterator: AsyncIterator<ConnectRequest>, clock: Clock): Promise<Hello> {
  const late = new AbortController();
  const tooLate = clock.sleep(helloWithinMs, late.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    const first = await Promise.race([iterator.next(), tooLate]);
    const message = first?.done === false ? first.value.message : undefined;
    if (message?.case !== 'hello')
      throw new ConnectError('the first message must be a Hello', Code.FailedPrecondition);
    return message.value;
  } finally {
    late.abort();
  }
}
