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
import type { Proof } from '../enrol/own-certificate.ts';
import { type ControllerConnection, dialController } from './controller-connection.ts';
import type { DisconnectReason } from './disconnect-reason.ts';
import { failuresAfter, waitAfter } from './reconnect-delay.ts';

declareShare({
  name: 'messages_of_an_agent',
  limit: '64 messages on their way',
  filledBy: 'results',
  share: 'an agent is of one account',
});

/** A message to the controller. */
type AgentMessage = NonNullable<MessageInitShape<typeof ConnectRequestSchema>['message']>;

/** A message from the controller. */
export type ControllerMessage = ConnectResponse['message'];

/** The only stream to a controller. `run` opens it, and opens another one when it ends. */
export interface ControllerLink {
  /** Sends a message. False: there is no stream, or it does not drain. */
  send(message: AgentMessage): boolean;
  /** Between Welcome and the stream's end. */
  readonly isUp: boolean;
  /** The Welcome of the present stream, another object for each stream. */
  readonly session: Welcome | undefined;
  /** Ends the present stream; `run` then opens another one. */
  drop(why: string): void;
  /** Resolves when the signal aborts and the stream is closed. */
  run(handlers: LinkHandlers, signal: AbortSignal): Promise<void>;
}

const handshakeMs = 15_000;
const lateHandshake = `no welcome within ${handshakeMs / 1000} s`;

/** Messages on their way out. Beyond this the stream does not drain. */
const maxOutgoing = 64;

/** Receives a link's messages. The functions are called in the order of the messages. */
export interface LinkHandlers {
  /** Called before each attempt. */
  hello(): Promise<MessageInitShape<typeof HelloSchema>>;
  onUp(session: Welcome, endpoint: string): void;
  onMessage(message: ControllerMessage): void;
  /** The stream ended, or an attempt to open one failed. */
  onDown(disconnect: DisconnectReason, endpoint: string): void;
}

/** Creates the link. It opens nothing before `run`. */
export function createLink(deps: {
  readonly endpoints: readonly string[];
  /** `http://[user:password@]host:port` of an HTTP proxy; undefined: there is none. */
  readonly proxy: Secret | undefined;
  /** Returns the certificate for a controller. When it rejects, `run` rejects. */
  readonly prove: (endpoint: string, signal: AbortSignal) => Promise<Proof>;
  /** A controller refused the proof. */
  readonly onRefused: () => void;
  readonly clock: Clock;
  readonly random: () => number;
  /** A connection whose ping is not answered in time is closed. */
  readonly pings: { readonly pingIntervalMs: number; readonly pingTimeoutMs: number };
}): ControllerLink {
  const { clock, random } = deps;
  let outbound: ReturnType<typeof createMailbox<ConnectRequest>> | undefined;
  let session: Welcome | undefined;
  let cut: ((why: string) => void) | undefined;

  const runStream = async (
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
    let silence = clock.timer(handshakeMs, () => cut?.(lateHandshake));
    const restartSilence = () => {
      silence[Symbol.dispose]();
      // Silence means a half-open link. The pings of connect-node would notice it too, but a timed-out ping ends the
      // process: the error of the session comes when it has no listener.
      silence = clock.timer(silenceMs, () => cut?.(`no message for ${silenceMs / 1000} s`));
    };
    const box = createMailbox<ConnectRequest>(maxOutgoing);
    let sessionFromMs: number | undefined;
    const lastedMs = () => (sessionFromMs === undefined ? 0 : clock.monoMs() - sessionFromMs);
    let connection: ControllerConnection | undefined;
    let goodbye: DisconnectReason | undefined;
    try {
      const options = { endpoint, proxy: deps.proxy, ca: proof.ca, proof };
      connection = await dialController({ ...options, clock, pings: deps.pings }, ending.signal);
      const value = await handlers.hello();
      box.offer(create(ConnectRequestSchema, { message: { case: 'hello', value } }));
      const transport = createGrpcTransport({ baseUrl: endpoint, sessionManager: connection });
      const client = createClient(AgentService, transport);
      outbound = box;
      for await (const { message } of client.connect(box, { signal: ending.signal })) {
        restartSilence();
        if (message.case === 'welcome') {
          session = message.value;
          sessionFromMs = clock.monoMs();
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
      session = undefined;
      cut = undefined;
      box.close();
      ending.abort(new Error('the stream has ended'));
      connection?.[Symbol.dispose]();
    }
  };

  return {
    send: (message) => outbound?.offer(create(ConnectRequestSchema, { message })) ?? false,
    get isUp() {
      return session !== undefined;
    },
    get session() {
      return session;
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
          proof.kind === 'none' ? proof.reason : await runStream(handlers, endpoint, proof, signal);
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

/** Moves this entry to the end: an agent that was sent away, or lost a controller, tries the others first. */
function withLast(list: readonly string[], last: string | undefined): string[] {
  return [...list.filter((entry) => entry !== last), ...list.filter((entry) => entry === last)];
}

function shuffled(list: readonly string[], random: () => number): string[] {
  return list
    .map((entry) => ({ entry, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ entry }) => entry);
}
