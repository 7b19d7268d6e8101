import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Clock, every, messageOf, type Secret } from '@vantage/kernel';
import { openTunnel } from './tunnel.ts';

/** The address of a controller and the credentials for it. */
export interface DialOptions {
  /** `https://host:port`. */
  readonly endpoint: string;
  /** `http://[user:password@]host:port` of an HTTP proxy; undefined: there is none. */
  readonly proxy: Secret | undefined;
  /** PEM; undefined: the system's certificates. */
  readonly ca: string | undefined;
  /** The agent's certificate and its key, PEM; undefined: the agent shows none. */
  readonly proof: { readonly cert: string; readonly key: string } | undefined;
  readonly clock: Clock;
  /** A connection whose ping is not answered in time is closed. */
  readonly pings: { readonly pingIntervalMs: number; readonly pingTimeoutMs: number };
}

/**
 * Opens a connection to a controller. Rejects when the proxy does not connect. If the controller cannot be reached, the
 * requests fail.
 */
export async function dialController(
  options: DialOptions,
  signal: AbortSignal,
): Promise<ControllerConnection> {
  const { proxy, endpoint, pings, ...rest } = options;
  const port = Number(new URL(endpoint).port || 443);
  const tunnel =
    proxy === undefined ? undefined : await openTunnel({ proxy, host: hostOf(endpoint), port, signal });
  return openConnection({ ...rest, endpoint, tunnel, ...pings });
}

/** The pings by which the agent notices a cut connection. */
export const standardPings = { pingIntervalMs: 10_000, pingTimeoutMs: 5_000 };

/**
 * One HTTP/2 connection over TLS, checked by pings. It replaces the session manager of connect-node, which leaves a
 * session without an error listener when a ping times out while the end of the stream closes it. That would end the
 * process.
 */
export interface ControllerConnection extends Disposable {
  /** `https://host:port`. */
  readonly authority: string;
  request(method: string, path: string, headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream>;
  notifyResponseByteRead(): void;
  /** The reason why the connection broke; undefined while it is open. */
  readonly fault: string | undefined;
}

/** Opens a connection; disposing closes it and its streams. */
function openConnection(deps: {
  readonly endpoint: string;
  /** PEM; undefined: the system's certificates. */
  readonly ca: string | undefined;
  /** A connection to the endpoint through a proxy; undefined: connect directly. */
  readonly tunnel: Socket | undefined;
  /** The agent's certificate and its key, PEM; undefined: none is shown. */
  readonly proof: { readonly cert: string; readonly key: string } | undefined;
  readonly clock: Clock;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
}): ControllerConnection {
  const { clock, pingTimeoutMs } = deps;
  const session = openSession(deps);
  let fault: string | undefined;
  const recordFault = (why: string) => {
    fault ??= why;
  };
  const connected = new Promise<void>((resolve, reject) => {
    session.once('connect', () => resolve());
    session.once('close', () => reject(new Error(fault ?? 'the connection closed')));
  });
  connected.catch(() => {}); // each request reports it
  session.on('error', (error: unknown) => recordFault(messageOf(error)));
  session.on('close', () => pinging[Symbol.dispose]());
  const ping = () => {
    if (session.connecting || session.destroyed) return;
    const deadline = clock.timer(pingTimeoutMs, () => {
      recordFault(`no answer to a ping within ${pingTimeoutMs / 1000} s`);
      session.destroy();
    });
    session.ping(() => deadline[Symbol.dispose]());
  };
  const pinging = every(clock, deps.pingIntervalMs, ping);
  return {
    authority: new URL(deps.endpoint).origin,
    async request(method, path, headers) {
      await connected;
      return session.request({ ...headers, ':method': method, ':path': path });
    },
    notifyResponseByteRead() {}, // the link itself notices a silent stream
    get fault() {
      return fault;
    },
    [Symbol.dispose]() {
      pinging[Symbol.dispose]();
      session.destroy(undefined, constants.NGHTTP2_CANCEL);
    },
  };
}

function openSession(deps: Parameters<typeof openConnection>[0]): ClientHttp2Session {
  const { endpoint, tunnel: socket, ca, proof } = deps;
  const trust = {
    minVersion: 'TLSv1.3', // earlier versions send the agent's certificate in clear
    ...(ca !== undefined && { ca }),
    ...(proof !== undefined && { cert: proof.cert, key: proof.key }),
  } as const;
  if (socket === undefined) return connect(endpoint, trust);
  const host = hostOf(endpoint);
  const named = isIP(host) === 0 ? { servername: host } : { host };
  const createConnection = () => connectTls({ ...trust, ...named, socket, ALPNProtocols: ['h2'] });
  return connect(endpoint, { createConnection });
}

/** The host of an endpoint, an IPv6 address without its brackets. */
function hostOf(endpoint: string): string {
  return new URL(endpoint).hostname.replace(/^\[|\]$/g, '');
}
