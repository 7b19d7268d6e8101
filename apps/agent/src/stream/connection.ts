import { request } from 'node:http';
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

/** The way to a controller. */
export interface Way {
  /** `https://host:port`. */
  readonly endpoint: string;
  /** `http://[user:password@]host:port` of an HTTP proxy on the way; undefined: there is none. */
  readonly proxy: Secret | undefined;
  /** PEM; undefined: the system's certificates. */
  readonly ca: string | undefined;
  /** The agent's certificate and its key, PEM; undefined: none is shown. */
  readonly proof: { readonly cert: string; readonly key: string } | undefined;
  readonly clock: Clock;
  /** A connection that leaves a ping unanswered is given up. */
  readonly pings: { readonly pingIntervalMs: number; readonly pingTimeoutMs: number };
}

/**
 * Opens a connection to a controller. Rejects when the proxy lets nobody through; a controller that cannot be reached
 * fails its requests.
 */
export async function dial(way: Way, signal: AbortSignal): Promise<Connection> {
  const { proxy, endpoint, pings, ...rest } = way;
  const port = Number(new URL(endpoint).port || 443);
  const tunnel =
    proxy === undefined ? undefined : await openTunnel({ proxy, host: hostOf(endpoint), port, signal });
  return openConnection({ ...rest, endpoint, tunnel, ...pings });
}

/** How the agent finds that a connection is cut. */
export const standardPings = { pingIntervalMs: 10_000, pingTimeoutMs: 5_000 };

/**
 * One HTTP/2 connection over TLS, checked by pings. It replaces connect-node's session manager, which leaves a session
 * without error listener when a ping times out while the stream's end closes it; that ends the process.
 */
export interface Connection extends Disposable {
  /** `https://host:port`. */
  readonly authority: string;
  request(method: string, path: string, headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream>;
  notifyResponseByteRead(): void;
  /** Why the connection broke; undefined while it is open. */
  readonly fault: string | undefined;
}

/** Opens a connection; disposing closes it and its streams. */
function openConnection(deps: {
  readonly endpoint: string;
  /** PEM; undefined: the system's certificates. */
  readonly ca: string | undefined;
  /** A connection to the endpoint's host and port through a proxy; undefined: it is connected directly. */
  readonly tunnel: Socket | undefined;
  /** The agent's certificate and its key, PEM; undefined: none is shown. */
  readonly proof: { readonly cert: string; readonly key: string } | undefined;
  readonly clock: Clock;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
}): Connection {
  const { clock, pingTimeoutMs } = deps;
  const session = openSession(deps);
  let fault: string | undefined;
  const broke = (why: string) => {
    fault ??= why;
  };
  const connected = new Promise<void>((resolve, reject) => {
    session.once('connect', () => resolve());
    session.once('close', () => reject(new Error(fault ?? 'the connection closed')));
  });
  connected.catch(() => {}); // each request reports it
  session.on('error', (error: unknown) => broke(messageOf(error)));
  session.on('close', () => pinging[Symbol.dispose]());
  const ping = () => {
    if (session.connecting || session.destroyed) return;
    const deadline = clock.timer(pingTimeoutMs, () => {
      broke(`no answer to a ping within ${pingTimeoutMs / 1000} s`);
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

const answerWithinMs = 15_000;

/**
 * A connection to `host:port` through an HTTP proxy (CONNECT, RFC 9110 §9.3.6). `proxy` is
 * `http://[user:password@]host:port`. Rejects when the proxy cannot be reached, refuses, or does not answer within 15
 * s; the text never has its password.
 */
export function openTunnel(wanted: {
  readonly proxy: Secret;
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}): Promise<Socket> {
  const proxy = new URL(wanted.proxy.reveal());
  const { host, signal } = wanted;
  const authority = `${host.includes(':') ? `[${host}]` : host}:${wanted.port}`;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization =
    proxy.username === ''
      ? {}
      : { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
  return new Promise((resolve, reject) => {
    const fault = (text: string) => reject(new Error(`the proxy ${proxy.host} ${text}`));
    const asked = request({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port === '' ? 80 : Number(proxy.port),
      method: 'CONNECT',
      path: authority,
      agent: false,
      signal,
      timeout: answerWithinMs,
      headers: { Host: authority, ...authorization },
    });
    asked.once('connect', ({ statusCode, statusMessage }, socket: Socket, early) => {
      if (statusCode === 200 && early.length === 0) {
        socket.setTimeout(0);
        resolve(socket);
        return;
      }
      socket.destroy();
      fault(
        statusCode === 200
          ? 'sent data before the controller could'
          : `refuses the connection to ${authority}: ${statusCode} ${statusMessage}`,
      );
    });
    asked.once('response', (response) => {
      response.destroy();
      fault(`answers as no proxy does: ${response.statusCode}`);
    });
    asked.once('timeout', () => asked.destroy(new Error(`no answer within ${answerWithinMs / 1000} s`)));
    asked.once('error', (error) => fault(`cannot be used: ${error.message}`));
    asked.end();
  });
}
