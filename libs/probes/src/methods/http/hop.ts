import { isIP } from 'node:net';
import type { Secret } from '@vantage/kernel';
import type { Connection } from '../../contract/dial.ts';
import { notMet } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';
import { type Body, offeredCodings, readBody } from './body.ts';
import { connectThrough, exchange, type HttpHead, type HttpRequest } from './exchange.ts';
import type { HttpOptions } from './options.ts';
import { parseHttpTarget, readLogin, standardPort } from './target.ts';

/** One request of the chain that redirects make. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer that was read to its end. */
export interface HopResult {
  readonly answer: HttpHead;
  readonly body: Body;
  readonly peer: string;
}

/** Connects, through the proxy where one is set, sends one hop's request and reads the whole answer. */
export async function runHop(context: ProbeContext, hop: Hop, wanted: HttpOptions): Promise<HopResult> {
  const { url } = hop;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? standardPort(url.protocol.slice(0, -1)) : Number(url.port);
  const proxy = wanted.Proxy === undefined ? undefined : new URL(wanted.Proxy);
  using connection = await open(context, { host, port, secure: url.protocol === 'https:' }, proxy, wanted);
  const http2 = connection.alpn === 'h2' || (wanted.HTTPVersion === '2' && !connection.secure);
  if (wanted.HTTPVersion === '2' && !http2) throw notMet(`${connection.peer} does not offer HTTP/2`);
  const { stream, isComplete, ...answer } = await exchange(
    context,
    connection,
    requestOf(context, hop, proxy, wanted),
    http2,
  );
  const body = await readBody(context, stream, {
    encoding: hop.method !== 'HEAD' ? answer.headers['content-encoding'] : undefined,
    digest: wanted.ExpectSHA256 !== undefined,
    maxSize: wanted.MaxSize,
    peer: connection.peer,
    isComplete,
  });
  return { answer, body, peer: connection.peer };
}

interface Place {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
}

async function open(
  context: ProbeContext,
  place: Place,
  proxy: URL | undefined,
  wanted: HttpOptions,
): Promise<Connection> {
  const alpn = { Auto: ['h2', 'http/1.1'], '1.1': ['http/1.1'], '2': ['h2'] }[wanted.HTTPVersion];
  const tls = place.secure ? { settings: wanted.TLS, alpn } : undefined;
  if (proxy === undefined) {
    return context.dial.connect(context, {
      host: place.host,
      port: place.port,
      family: wanted.IPFamily,
      tls,
    });
  }
  const own = parseHttpTarget(proxy.href);
  if (!own.ok) throw notMet(own.message);
  // The proxy resolves names. The agent's policy can decide here about an address only.
  const literal = isIP(place.host);
  if (literal !== 0) {
    context.dial.permitted(context, [{ address: place.host, family: literal === 6 ? 6 : 4 }], place.port);
  }
  const connection = await context.dial.connect(context, {
    host: own.target.host,
    port: own.target.port,
    family: wanted.IPFamily,
    tls:
      own.target.scheme === 'https'
        ? { settings: { Verify: true, MinDaysLeft: 0 }, alpn: ['http/1.1'] }
        : undefined,
  });
  context.addDetail('Proxy', connection.peer);
  if (tls === undefined) return connection;
  const authority = `${place.host.includes(':') ? `[${place.host}]` : place.host}:${place.port}`;
  const headers = proxyHeaders(context, proxy);
  await connectThrough(context, connection, {
    method: 'CONNECT',
    path: authority,
    scheme: 'http',
    authority,
    headers,
    body: undefined,
  });
  return context.dial.secure(context, connection, tls, place.host);
}

function requestOf(
  context: ProbeContext,
  hop: Hop,
  proxy: URL | undefined,
  wanted: HttpOptions,
): HttpRequest {
  const { url } = hop;
  const scheme = url.protocol.slice(0, -1);
  const byProxy = proxy !== undefined && scheme === 'http';
  const given = Object.entries(hop.headers).filter(([name]) => name.toLowerCase() !== 'host');
  const host = Object.entries(hop.headers).find(([name]) => name.toLowerCase() === 'host')?.[1];
  return {
    method: hop.method,
    path: byProxy ? `http://${url.host}${url.pathname}${url.search}` : `${url.pathname}${url.search}`,
    scheme,
    authority: host ?? url.host,
    headers: {
      'User-Agent': 'Vantage',
      Accept: '*/*',
      ...(wanted.Compression ? { 'Accept-Encoding': offeredCodings } : {}),
      // Of two names that differ in case only, the later one is sent.
      ...Object.fromEntries(given),
      ...(byProxy ? proxyHeaders(context, proxy) : {}),
    },
    body: hop.body,
  };
}

function proxyHeaders(context: ProbeContext, proxy: URL): Readonly<Record<string, string>> {
  const login = readLogin(proxy);
  if (login?.user === undefined) return {};
  return { 'Proxy-Authorization': basic(context, login.user, login.password) };
}

/** The value of an Authorization header (RFC 7617), kept out of every text of this check. */
export function basic(
  context: Pick<ProbeContext, 'redact'>,
  user: string,
  password: Secret | undefined,
): string {
  const clear = password?.reveal() ?? '';
  const token = Buffer.from(`${user}:${clear}`, 'utf8').toString('base64');
  context.redact(clear);
  context.redact(token);
  return `Basic ${token}`;
}
