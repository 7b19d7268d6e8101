import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { silenceMs } from '@vantage/domain';
import { type Clock, createMailbox, declareShare, messageOf, type Secret } from '@vantage/kernel';
import {
  AgentService,
  type ConnectRequest,
  ConnectRequestSchema,
  type ConnectResponse,
  type HelloSchema,
  type Welcome,
} from '@vantage/proto';
import type { Proof } from '../enrol/enrolment.ts';
import type { Connection } from './connection.ts';
import { dial } from './connection.ts';
import { type DisconnectReason, failuresAfter, waitAfter } from './disconnect-reason.ts';

declareShare({
  name: 'messages_of_an_agent',
  limit: '64 messages on their way',
  filledBy: 'results',
  share: 'an agent is of one account',
});

/** A message to the controller. */
type Outgoing = NonNullable<MessageInitShape<typeof ConnectRequestSchema>['message']>;
/** A message from the controller. */
export type Incoming = ConnectResponse['message'];

/** The one stream to a controller. `run` opens it, and opens another when it ends. */
export interface Link {
  /** Sends; false when there is no stream, or it does not drain. */
  send(message: Outgoing): boolean;
  /** Between Welcome and the stream's end. */
  readonly isUp: boolean;
  /** The present stream's Welcome: another object for each stream. */
  readonly welcome: Welcome | undefined;
  /** Ends the present stream; another is tried. */
  drop(why: string): void;
  /** Resolves when the signal aborts and the stream is closed. */
  run(handlers: LinkHandlers, signal: AbortSignal): Promise<void>;
}

const welcomeWithinMs = 15_000;
const lateWelcome = `no welcome within ${welcomeWithinMs / 1000} s`;
/** Messages on their way out; more, and the stream does not drain. */
const outgoingMax = 64;

/** The receiver of a link's messages. The functions are called in the order of the messages. */
export interface LinkHandlers {
  /** Called before each try. */
  hello(): Promise<MessageInitShape<typeof HelloSchema>>;
  onUp(welcome: Welcome, endpoint: string): void;
  onMessage(message: Incoming): void;
  /** The stream ended, or a try failed. */
  onDown(disconnect: DisconnectReason, endpoint: string): void;
}

/** Creates the link; nothing is opened before `run`. */
export function createLink(deps: {
  readonly endpoints: readonly string[];
  /** `http://[user:password@]host:port` of an HTTP proxy on the way; undefined: there is none. */
  readonly proxy: Secret | undefined;
  /** How the agent shows this controller who it is. When it rejects, `run` rejects. */
  readonly prove: (endpoint: string, signal: AbortSignal) => Promise<Proof>;
  /** A controller refused the proof. */
  readonly onRefused: () => void;
  readonly clock: Clock;
  readonly random: () => number;
  /** A connection that leaves a ping unanswered is given up. */
  readonly pings: { readonly pingIntervalMs: number; readonly pingTimeoutMs: number };
}): Link {
  const { clock, random } = deps;
  let outbound: ReturnType<typeof createMailbox<ConnectRequest>> | undefined;
  let welcome: Welcome | undefined;
  let cut: ((why: string) => void) | undefined;

  const converse = async (
    handlers: LinkHandlers,
    endpoint: string,
    proof: Certificate,
    signal: AbortSignal,
  ): Promise<DisconnectReason> => {
    const ending = new AbortController();
    const stop = () => ending.abort(new Error('the agent ends'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    cut = (why) => ending.abort(new Error(why));
    let silence = clock.timer(welcomeWithinMs, () => cut?.(lateWelcome));
    const restartSilence = () => {
      silence[Symbol.dispose]();
      // Silence means a half-open link. The pings of connect-node would notice it too, but a ping that times out ends
      // the process: the session's error comes when it has no listener any more.
      silence = clock.timer(silenceMs, () => cut?.(`no message for ${silenceMs / 1000} s`));
    };
    const box = createMailbox<ConnectRequest>(outgoingMax);
    let welcomedMs: number | undefined;
    const lastedMs = () => (welcomedMs === undefined ? 0 : clock.monoMs() - welcomedMs);
    let connection: Connection | undefined;
    let goodbye: DisconnectReason | undefined;
    try {
      const way = { endpoint, proxy: deps.proxy, ca: proof.ca, proof };
      connection = await dial({ ...way, clock, pings: deps.pings }, ending.signal);
      const value = await handlers.hello();
      box.offer(create(ConnectRequestSchema, { message: { case: 'hello', value } }));
      const transport = createGrpcTransport({ baseUrl: endpoint, sessionManager: connection });
      const client = createClient(AgentService, transport);
      outbound = box;
      for await (const { message } of client.connect(box, { signal: ending.signal })) {
        restartSilence();
        if (message.case === 'welcome') {
          welcome = message.value;
          welcomedMs = clock.monoMs();
          handlers.onUp(message.value, endpoint);
        } else if (message.case === 'goodbye') {
          const { reason, text } = message.value;
          goodbye = { kind: 'goodbye', reason, text };
          break;
        } else handlers.onMessage(message);
      }
      return goodbye ?? endedByController(lastedMs());
    } catch (error) {
      const cause = ending.signal.aborted ? ending.signal.reason : error;
      return disconnectReasonOf(cause, connection?.fault, lastedMs());
    } finally {
      silence[Symbol.dispose]();
      signal.removeEventListener('abort', stop);
      outbound = undefined;
      welcome = undefined;
      cut = undefined;
      box.close();
      ending.abort(new Error('the stream is over'));
      connection?.[Symbol.dispose]();
    }
  };

  return {
    send: (message) => outbound?.offer(create(ConnectRequestSchema, { message })) ?? false,
    get isUp() {
      return welcome !== undefined;
    },
    get welcome() {
      return welcome;
    },
    drop: (why) => cut?.(why),
    async run(handlers, signal) {
      let round: string[] = [];
      let endpoint: string | undefined;
      let failures = 0;
      while (!signal.aborted) {
        if (round.length === 0) round = withLast(shuffled(deps.endpoints, random), endpoint);
        endpoint = round.shift();
        if (endpoint === undefined) return;
        const proof = await deps.prove(endpoint, signal);
        if (signal.aborted) return;
        const disconnect =
          proof.kind === 'none' ? proof.reason : await converse(handlers, endpoint, proof, signal);
        if (signal.aborted) return;
        if (proof.kind !== 'none' && disconnect.kind === 'refused') deps.onRefused();
        handlers.onDown(disconnect, endpoint);
        failures = failuresAfter(disconnect, failures);
        const waitMs = waitAfter(disconnect, { failures, others: round.length, random });
        if (waitMs > 0) await clock.sleep(waitMs, signal).catch(() => undefined);
      }
    },
  };
}

function endedByController(lastedMs: number): DisconnectReason {
  return { kind: 'lost', text: 'the controller ended the stream', lastedMs };
}

function disconnectReasonOf(error: unknown, fault: string | undefined, lastedMs: number): DisconnectReason {
  const isRefusal =
    error instanceof ConnectError &&
    (error.code === Code.Unauthenticated || error.code === Code.PermissionDenied);
  const text = fault ?? (error instanceof ConnectError ? error.rawMessage : messageOf(error));
  return isRefusal ? { kind: 'refused', text } : { kind: 'lost', text, lastedMs };
}

type Certificate = Extract<Proof, { kind: 'certificate' }>;

/** The list with this entry at its end: who was sent away, or lost a controller, tries the others first. */
function withLast(list: readonly string[], last: string | undefined): string[] {
  return [...list.filter((entry) => entry !== last), ...list.filter((entry) => entry === last)];
}

function shuffled(list: readonly string[], random: () => number): string[] {
  return list
    .map((entry) => ({ entry, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ entry }) => entry);
}
