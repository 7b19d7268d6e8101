import type { Socket } from 'node:net';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { type Clock, createMailbox, messageOf, type Secret } from '@vantage/kernel';
import {
  AgentService,
  type ConnectRequest,
  ConnectRequestSchema,
  type ConnectResponse,
  type HelloSchema,
  type Welcome,
} from '@vantage/proto';
import { type Connection, hostOf, openConnection } from './connection.ts';
import { type DisconnectReason, waitAfter } from './disconnect-reason.ts';
import { openTunnel } from './tunnel.ts';

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
  /** Ends the present stream; another is tried. */
  drop(why: string): void;
  /** Resolves when the signal aborts and the stream is closed. */
  run(handlers: LinkHandlers, signal: AbortSignal): Promise<void>;
}

const welcomeWithinMs = 15_000;
/**
 * The controller answers heartbeats every 10 s, so this much silence means a half-open link. The pings of connect-node would notice it
 * too, but a ping that times out ends the process: the session's error comes when it has no listener any more.
 */
const deadAfterMs = 25_000;
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

/** Makes the link; nothing is opened before `run`. */
export function createLink(deps: {
  readonly endpoints: readonly string[];
  readonly token: Secret;
  /** PEM; undefined: the system's certificates. */
  readonly ca: string | undefined;
  /** `http://[user:password@]host:port` of an HTTP proxy on the way; undefined: there is none. */
  readonly proxy: Secret | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** A connection that leaves a ping unanswered is given up. */
  readonly pings: { readonly pingIntervalMs: number; readonly pingTimeoutMs: number };
}): Link {
  const { clock, random } = deps;
  let outbound: ReturnType<typeof createMailbox<ConnectRequest>> | undefined;
  let isUp = false;
  let cut: ((why: string) => void) | undefined;

  const converse = async (
    handlers: LinkHandlers,
    endpoint: string,
    signal: AbortSignal,
  ): Promise<DisconnectReason> => {
    const ending = new AbortController();
    const stop = () => ending.abort(new Error('the agent ends'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    cut = (why) => ending.abort(new Error(why));
    let silence = clock.timer(welcomeWithinMs, () => cut?.(`no welcome within ${welcomeWithinMs / 1000} s`));
    const restartSilence = () => {
      silence[Symbol.dispose]();
      silence = clock.timer(deadAfterMs, () => cut?.(`no message for ${deadAfterMs / 1000} s`));
    };
    const box = createMailbox<ConnectRequest>(outgoingMax);
    const beganMs = clock.monoMs();
    let connection: Connection | undefined;
    let goodbye: DisconnectReason | undefined;
    try {
      const tunnel = await tunnelTo(endpoint, deps.proxy, ending.signal);
      connection = openConnection({ endpoint, ca: deps.ca, tunnel, clock, ...deps.pings });
      const hello = await handlers.hello();
      box.offer(create(ConnectRequestSchema, { message: { case: 'hello', value: hello } }));
      const client = createClient(
        AgentService,
        createGrpcTransport({ baseUrl: endpoint, sessionManager: connection }),
      );
      const headers = { authorization: `Bearer ${deps.token.reveal()}` };
      outbound = box;
      for await (const { message } of client.connect(box, { headers, signal: ending.signal })) {
        restartSilence();
        if (message.case === 'welcome') {
          isUp = true;
          handlers.onUp(message.value, endpoint);
        } else if (message.case === 'goodbye') {
          const { reason, text } = message.value;
          goodbye = { kind: 'goodbye', reason, text };
          break;
        } else handlers.onMessage(message);
      }
      const lastedMs = clock.monoMs() - beganMs;
      return goodbye ?? { kind: 'lost', text: 'the controller ended the stream', lastedMs };
    } catch (error) {
      const cause = ending.signal.aborted ? ending.signal.reason : error;
      return disconnectReasonOf(cause, connection?.fault, clock.monoMs() - beganMs);
    } finally {
      silence[Symbol.dispose]();
      signal.removeEventListener('abort', stop);
      outbound = undefined;
      isUp = false;
      cut = undefined;
      box.close();
      ending.abort(new Error('the stream is over'));
      connection?.[Symbol.dispose]();
    }
  };

  return {
    send: (message) => outbound?.offer(create(ConnectRequestSchema, { message })) ?? false,
    get isUp() {
      return isUp;
    },
    drop: (why) => cut?.(why),
    async run(handlers, signal) {
      let round: string[] = [];
      let failures = 0;
      while (!signal.aborted) {
        if (round.length === 0) round = shuffled(deps.endpoints, random);
        const endpoint = round.shift();
        if (endpoint === undefined) return;
        const disconnect = await converse(handlers, endpoint, signal);
        if (signal.aborted) return;
        handlers.onDown(disconnect, endpoint);
        const isFresh = disconnect.kind === 'lost' && disconnect.lastedMs < deadAfterMs;
        failures = isFresh || disconnect.kind === 'refused' ? failures + 1 : 0;
        const waitMs = waitAfter(disconnect, { failures, others: round.length, random });
        if (waitMs > 0) await clock.sleep(waitMs, signal).catch(() => undefined);
      }
    },
  };
}

function tunnelTo(
  endpoint: string,
  proxy: Secret | undefined,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  if (proxy === undefined) return Promise.resolve(undefined);
  const port = Number(new URL(endpoint).port || 443);
  return openTunnel({ proxy, host: hostOf(endpoint), port, signal });
}

function disconnectReasonOf(error: unknown, fault: string | undefined, lastedMs: number): DisconnectReason {
  const isRefusal =
    error instanceof ConnectError &&
    (error.code === Code.Unauthenticated || error.code === Code.PermissionDenied);
  const text = fault ?? (error instanceof ConnectError ? error.rawMessage : messageOf(error));
  return isRefusal ? { kind: 'refused', text } : { kind: 'lost', text, lastedMs };
}

function shuffled(list: readonly string[], random: () => number): string[] {
  return list
    .map((entry) => ({ entry, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ entry }) => entry);
}
