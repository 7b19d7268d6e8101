import { isIP } from 'node:net';
import type { Connection } from '../../contract/dial.ts';
import { notMet } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';
import { offeredCodings } from './content-coding.ts';
import type { CookieJar } from './cookie-jar.ts';
import type { DigestLogin } from './digest-login.ts';
import { connectThrough, exchange, type HttpHead, type HttpRequest } from './http-exchange.ts';
import { basic } from './http-login.ts';
import type { HttpOptions } from './http-options.ts';
import { parseHttpTarget, readLogin, standardPort } from './http-target.ts';
import { type ResponseBody, readBody } from './response-body.ts';

/** One request of a chain of redirects. */
export interface RedirectHop {
  readonly url: URL;
  readonly method: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The Digest login for the origin of `url`. */
  readonly digest?: DigestLogin | undefined;
  /** The cookies of the check. Without it, answers set none. */
  readonly cookies?: CookieJar | undefined;
}

/** An answer with its whole body. */
export interface HttpHopResult {
  readonly answer: HttpHead;
  readonly body: ResponseBody;
  readonly peer: string;
}

/** Connects, through the proxy if one is set, sends the request of a hop and reads the whole answer. */
export async function runHop(
  context: ProbeContext,
  hop: RedirectHop,
  options: HttpOptions,
): Promise<HttpHopResult> {
  const { url } = hop;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? standardPort(url.protocol.slice(0, -1)) : Number(url.port);
  const proxy = options.Proxy === undefined ? undefined : new URL(options.Proxy);
  using connection = await open(context, { host, port, secure: url.protocol === 'https:' }, proxy, options);
  const http2 = connection.alpn === 'h2' || (options.HTTPVersion === '2' && !connection.secure);
  if (options.HTTPVersion === '2' && !http2) throw notMet(`${connection.peer} does not offer HTTP/2`);
  const { stream, isComplete, setCookies, ...answer } = await exchange(
    context,
    connection,
    requestOf(context, hop, proxy, options),
    http2,
  );
  const body = await readBody(context, stream, {
    encoding: hop.method !== 'HEAD' ? answer.headers['content-encoding'] : undefined,
    digest: options.ExpectSHA256 !== undefined,
    maxSize: options.MaxSize,
    peer: connection.peer,
    isComplete,
  });
  hop.cookies?.take(url, setCookies);
  return { answer, body, peer: connection.peer };
}

interface HopEndpoint {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
}

async function open(
  context: ProbeContext,
  endpoint: HopEndpoint,
  proxy: URL | undefined,
  options: HttpOptions,
): Promise<Connection> {
  const alpn = { Auto: ['h2', 'http/1.1'], '1.1': ['http/1.1'], '2': ['h2'] }[options.HTTPVersion];
  const tls = endpoint.secure ? { settings: options.TLS, alpn } : undefined;
  if (proxy === undefined) {
    return context.dial.connect(context, {
      host: endpoint.host,
      port: endpoint.port,
      family: options.IPFamily,
      source: options.SourceAddress,
      dscp: options.DSCP,
      tls,
    });
  }
  const parsed = parseHttpTarget(proxy.href);
  if (!parsed.ok) throw notMet(parsed.message);
  // The proxy resolves names, so the agent's policy can only judge a literal address.
  const literal = isIP(endpoint.host);
  if (literal !== 0) {
    context.dial.permitted(
      context,
      [{ address: endpoint.host, family: literal === 6 ? 6 : 4 }],
      endpoint.port,
    );
  }
  const connection = await context.dial.connect(context, {
    host: parsed.target.host,
    port: parsed.target.port,
    family: options.IPFamily,
    source: options.SourceAddress,
    dscp: options.DSCP,
    tls:
      parsed.target.scheme === 'https'
        ? { settings: { Verify: true, MinDaysLeft: 0 }, alpn: ['http/1.1'] }
        : undefined,
  });
  context.addDetail('Proxy', connection.peer);
  if (tls === undefined) return connection;
  const authority = `${endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host}:${endpoint.port}`;
  const headers = proxyHeaders(context, proxy);
  await connectThrough(context, connection, {
    method: 'CONNECT',
    path: authority,
    scheme: 'http',
    authority,
    headers,
    body: undefined,
  });
  return context.dial.secure(context, connection, tls, endpoint.host);
}

function requestOf(
  context: ProbeContext,
  hop: RedirectHop,
  proxy: URL | undefined,
  options: HttpOptions,
): HttpRequest {
  const { url } = hop;
  const scheme = url.protocol.slice(0, -1);
  const byProxy = proxy !== undefined && scheme === 'http';
  const uri = `${url.pathname}${url.search}`;
  const login = hop.digest?.authorization({ method: hop.method, uri });
  const headers = Object.entries(withCookies(hop)).filter(([name]) => name.toLowerCase() !== 'host');
  const host = Object.entries(hop.headers).find(([name]) => name.toLowerCase() === 'host')?.[1];
  return {
    method: hop.method,
    path: byProxy ? `http://${url.host}${uri}` : uri,
    scheme,
    authority: host ?? url.host,
    headers: {
      'User-Agent': 'Vantage',
      Accept: '*/*',
      ...(options.Compression ? { 'Accept-Encoding': offeredCodings } : {}),
      // If two names differ only in case, the later header is sent.
      ...Object.fromEntries(headers),
      ...(login === undefined ? {} : { Authorization: login }),
      ...(byProxy ? proxyHeaders(context, proxy) : {}),
    },
    body: hop.body,
  };
}

/** The headers of a hop with the cookies that earlier answers set, behind those of its own Cookie header. */
function withCookies({ url, headers, cookies }: RedirectHop): Readonly<Record<string, string>> {
  const set = cookies?.header(url);
  if (set === undefined) return headers;
  const own = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'cookie');
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'cookie');
  const all = [...own.map(([, value]) => value), set].join('; ');
  return { ...Object.fromEntries(others), Cookie: all };
}

function proxyHeaders(context: ProbeContext, proxy: URL): Readonly<Record<string, string>> {
  const login = readLogin(proxy);
  if (login?.user === undefined) return {};
  return { 'Proxy-Authorization': basic(context, login.user, login.password) };
}
