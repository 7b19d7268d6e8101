import { type Json, resultCode } from '@vantage/domain';
import { Secret } from '@vantage/kernel';
import type { Phases } from '../../contract/dial.ts';
import { Failure } from '../../contract/failure.ts';
import type { Probe, ProbeContext, Target } from '../../contract/probe.ts';
import { encodingsOf, secretValues } from '../../redact/mask.ts';
import { textSearch } from '../../search/text-search.ts';
import { basic, type Hop, type HopResult, runHop } from './hop.ts';
import { judge, statusText, textOf } from './judge.ts';
import { type HttpOptions, httpOptions, httpSecretOptions } from './options.ts';
import { httpFunctions } from './script-functions.ts';
import { parseHttpTarget, showUrl } from './target.ts';

const redirectStatuses = [301, 302, 303, 307, 308];
const shownBody = 4096;
const shownHeaders = 100;
/** Characters of a body that a script gets. */
const maxAnswered = 256 * 1024;

/**
 * HTTP: asks a web server over HTTP/1.1 or HTTP/2, follows redirects and judges the last answer. Every hop is a
 * connection of its own.
 */
export const http: Probe<'HTTP', typeof httpOptions> = {
  method: 'HTTP',
  purpose:
    'Asks a web server for a page. The check is good when the status and what `Options` expect of headers and body fit.',
  example: {
    URL: 'https://www.example.com/',
    ShortName: 'web-1',
    Options: { ExpectText: 'Welcome', MaxTimeMs: 2000, Headers: { 'Accept-Language': 'en' } },
  },
  optionsCase: 'http',
  tracePackets: 'tcp',
  options: httpOptions,
  secretOptions: httpSecretOptions,
  scriptFunctions: httpFunctions,
  parseTarget: parseHttpTarget,

  async run(context, target, wanted) {
    if (wanted.ExpectRegex !== undefined || wanted.ExpectJSONPath !== undefined) textSearch.prepare();
    const first = firstHop(context, target, wanted);
    const loggedIn = Object.keys(first.headers).some((name) => name.toLowerCase() === 'authorization');
    const secrets = secretsOf(context, target, wanted);
    const { answer, body, redirects } = await follow(context, first, wanted, secrets);
    const phases = context.stopwatch.read();
    const { signal } = context;
    const fault = await judge(answer, body, wanted, { phases, loggedIn, redirects, signal });
    const code = fault?.code ?? resultCode.ok;
    return {
      code,
      text: fault?.message ?? statusText(answer),
      dataSize: body.wire,
      extended: fault?.extended ?? {},
      answer: () => ({
        status: answer.status,
        headers: answer.headers,
        body: textOf(body, answer.headers['content-type']).slice(0, maxAnswered),
      }),
    };
  },
};

function firstHop(context: ProbeContext, target: Target, wanted: HttpOptions): Hop {
  const url = new URL(target.url);
  url.username = '';
  url.password = '';
  url.hash = '';
  const user = wanted.User ?? target.user;
  const password = wanted.Password === undefined ? target.password : new Secret(wanted.Password);
  const login: Record<string, string> =
    user === undefined ? {} : { Authorization: basic(context, user, password) };
  return { url, method: wanted.Method, body: wanted.Body, headers: { ...login, ...wanted.Headers } };
}

/** The secrets that no other origin may get: the login and every value that was filled in. */
function secretsOf(context: ProbeContext, target: Target, wanted: HttpOptions): readonly string[] {
  const filled = [...(context.secrets?.values() ?? [])].map((each) => each.reveal());
  return [...filled, ...secretValues(http, target, wanted)];
}

/** Follows redirects up to the limit; notes what every hop took. */
async function follow(
  context: ProbeContext,
  first: Hop,
  wanted: HttpOptions,
  secrets: readonly string[],
): Promise<HopResult & { readonly redirects: number }> {
  const hops: Json[] = [];
  const visited: URL[] = [];
  const droppedNames = new Set<string>();
  let hop: Hop | undefined = first;
  while (hop) {
    const before = context.stopwatch.read();
    visited.push(hop.url);
    context.addDetail('URL', showUrl(hop.url));
    const result: HopResult = await runHop(context, hop, wanted);
    noteAnswer(context, result);
    hops.push({
      URL: showUrl(hop.url),
      Status: result.answer.status,
      Address: result.peer,
      ...between(before, context.stopwatch.read()),
    });
    if (visited.length > 1) context.addDetail('Hops', [...hops]);
    const next = nextHop(hop, result, wanted.MaxRedirects);
    if (next === undefined) return { ...result, redirects: visited.length - 1 };
    if (visited.length === 1) context.addDetail('Hops', [...hops]);
    if (visited.length > wanted.MaxRedirects) {
      throw new Failure(
        resultCode.protocol,
        `more than ${wanted.MaxRedirects} redirects, the last to ${showUrl(next.url)}`,
      );
    }
    if (next.url.origin === hop.url.origin) {
      hop = next;
      continue;
    }
    const { request, dropped } = withoutSecrets(next, secrets);
    for (const name of dropped) droppedNames.add(name);
    if (droppedNames.size > 0) context.addDetail('DroppedOnRedirect', [...droppedNames]);
    hop = request;
  }
  throw new TypeError('a chain of hops has a last one');
}

/**
 * Where an answer sends us (RFC 9110 section 15.4); undefined when it is the last. Throws Failure 3 for a place that is
 * no web address.
 */
function nextHop(hop: Hop, { answer }: HopResult, maxRedirects: number): Hop | undefined {
  const location = answer.headers['location'];
  if (maxRedirects === 0 || location === undefined || !redirectStatuses.includes(answer.status))
    return undefined;
  const parsed = URL.canParse(location, hop.url.href) ? new URL(location, hop.url) : undefined;
  if (!parsed || !parseHttpTarget(parsed.href).ok) {
    throw new Failure(
      resultCode.protocol,
      `${statusText(answer)} to ${location.slice(0, 200)}: this is no web address`,
    );
  }
  parsed.hash = '';
  const asGet = answer.status === 303 ? hop.method !== 'HEAD' : answer.status < 303 && hop.method === 'POST';
  const kept = Object.entries(hop.headers).filter(([name]) => !(asGet && /^content-/i.test(name)));
  return {
    url: parsed,
    method: asGet ? 'GET' : hop.method,
    body: asGet ? undefined : hop.body,
    headers: Object.fromEntries(kept),
  };
}

function noteAnswer(context: ProbeContext, { answer, body }: HopResult): void {
  context.addDetail('Status', answer.status);
  context.addDetail('Version', `HTTP/${answer.version}`);
  if (answer.headers['content-encoding'] !== undefined) {
    context.addDetail('Encoding', answer.headers['content-encoding']);
    context.addDetail('BodySize', body.size);
  }
  context.diagnostics('Headers', () =>
    Object.fromEntries(
      Object.entries(answer.headers)
        .slice(0, shownHeaders)
        .map(([name, value]) => [name, name === 'set-cookie' ? withoutCookies(value) : value]),
    ),
  );
  context.diagnostics('Body', () =>
    textOf({ start: body.start.subarray(0, shownBody) }, answer.headers['content-type']),
  );
}

/** The cookies' names without their values, which may log somebody in. */
function withoutCookies(value: string): string {
  return value.replace(/(^|, )([^=;,\s]+)=[^;,]*/g, '$1$2=***');
}

/** The time of one hop, milliseconds. */
function between(before: Phases, after: Phases): { readonly [key: string]: Json } {
  const round = (ms: number) => Math.round(ms * 1000) / 1000;
  return {
    DNSTime: round(after.dns - before.dns),
    ConnectTime: round(after.connect - before.connect),
    SSLTime: round(after.ssl - before.ssl),
    TTFB: round(after.ttfb - before.ttfb),
    TTLB: round(after.ttlb - before.ttlb),
  };
}

/** Request headers that never follow a redirect to another origin, whatever they hold. */
const privateHeader = /^(authorization|cookie|proxy-authorization|host|x-.*(key|token))$/i;

/** The parts of a request that may be secret. */
interface RedirectedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/**
 * The request without what another origin (scheme, host, port) must not get: headers that log somebody in, and every
 * header or body that holds one of the check's secrets in any of the forms that a program gives them. `dropped` names
 * the headers, and `Body`.
 */
function withoutSecrets<Request extends RedirectedRequest>(
  request: Request,
  secrets: readonly string[],
): { readonly request: Request; readonly dropped: readonly string[] } {
  const forms = secrets.filter((each) => each !== '').flatMap((each) => [each, ...encodingsOf(each)]);
  const searched = [...new Set(forms.map((each) => each.toLowerCase()))];
  const isSecret = (text: string) => {
    const lower = text.toLowerCase();
    return searched.some((form) => lower.includes(form));
  };
  const all = Object.entries(request.headers);
  const kept = all.filter(([name, value]) => !privateHeader.test(name) && !isSecret(`${name}: ${value}`));
  const dropsBody = request.body !== undefined && isSecret(request.body);
  const names = all.map(([name]) => name).filter((name) => !kept.some(([other]) => other === name));
  return {
    request: {
      ...request,
      headers: Object.fromEntries(dropsBody ? kept.filter(([name]) => !/^content-/i.test(name)) : kept),
      body: dropsBody ? undefined : request.body,
    },
    dropped: dropsBody ? [...names, 'Body'] : names,
  };
}
