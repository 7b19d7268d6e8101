import { type Json, resultCode } from '@vantage/domain';
import type { Phases } from '../../contract/dial.ts';
import { Failure } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';
import { encodingsOf } from '../../redact/secret-forms.ts';
import { type HttpHopResult, type RedirectHop, runHop } from './http-hop.ts';
import type { HttpOptions } from './http-options.ts';
import { parseHttpTarget, showUrl } from './http-target.ts';
import { statusText, textOf } from './judge-response.ts';

const redirectStatuses = [301, 302, 303, 307, 308];
const maxShownBody = 4096;
const maxShownHeaders = 100;

/** Takes a fact of the extended data. */
export type NoteFact = (key: string, value: Json | (() => Json)) => void;

/** A login needs a challenge, and perhaps one for another realm and a stale nonce. */
const maxChallenges = 3;

/**
 * Sends the first request and follows redirects up to the limit. A request that a Digest challenge answers is sent once
 * more. Adds the time of every request to the facts, if there are several.
 */
export async function followRedirects(
  context: ProbeContext,
  first: RedirectHop,
  options: HttpOptions,
  {
    secrets,
    note = (key, value) => context.addDetail(key, value),
  }: { readonly secrets: readonly string[]; readonly note?: NoteFact },
): Promise<HttpHopResult & { readonly redirects: number }> {
  const hops: Json[] = [];
  const droppedNames = new Set<string>();
  let redirects = 0;
  let challenges = 0;
  let hop: RedirectHop = first;
  while (true) {
    const before = context.stopwatch.read();
    note('URL', showUrl(hop.url));
    const result: HttpHopResult = await runHop(context, hop, options);
    noteAnswer(context, result);
    hops.push({
      URL: showUrl(hop.url),
      Status: result.answer.status,
      Address: result.peer,
      ...between(before, context.stopwatch.read()),
    });
    // A Digest login reads every answer, also the last one.
    const isChallenged = hop.digest?.accepts(result.answer) === true && challenges < maxChallenges;
    const next = isChallenged ? undefined : nextHop(hop, result, options.MaxRedirects);
    if (!isChallenged && next === undefined) return { ...result, redirects };
    if (hops.length === 1) note('Hops', () => [...hops]);
    if (next === undefined) {
      challenges += 1;
      continue;
    }
    redirects += 1;
    challenges = 0;
    if (redirects > options.MaxRedirects) {
      throw new Failure(
        resultCode.protocol,
        `more than ${options.MaxRedirects} redirects, the last to ${showUrl(next.url)}`,
      );
    }
    if (next.url.origin === hop.url.origin) {
      hop = next;
      continue;
    }
    const { request, dropped } = withoutSecrets(next, secrets);
    for (const name of dropped) droppedNames.add(name);
    if (droppedNames.size > 0) note('DroppedOnRedirect', () => [...droppedNames]);
    hop = request;
  }
}

/**
 * The request that an answer redirects to (RFC 9110 section 15.4), if any. Throws Failure 3 for a location that is no
 * web address.
 */
function nextHop(hop: RedirectHop, { answer }: HttpHopResult, maxRedirects: number): RedirectHop | undefined {
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
  const headers = Object.entries(hop.headers).filter(([name]) => !(asGet && /^content-/i.test(name)));
  return {
    ...hop,
    url: parsed,
    method: asGet ? 'GET' : hop.method,
    body: asGet ? undefined : hop.body,
    headers: Object.fromEntries(headers),
  };
}

function noteAnswer(context: ProbeContext, { answer, body }: HttpHopResult): void {
  context.addDetail('Status', answer.status);
  context.addDetail('Version', `HTTP/${answer.version}`);
  if (answer.headers['content-encoding'] !== undefined) {
    context.addDetail('Encoding', answer.headers['content-encoding']);
    context.addDetail('BodySize', body.size);
  }
  context.diagnostics('Headers', () =>
    Object.fromEntries(
      Object.entries(answer.headers)
        .slice(0, maxShownHeaders)
        .map(([name, value]) => [name, name === 'set-cookie' ? withoutCookies(value) : value]),
    ),
  );
  context.diagnostics('Body', () =>
    textOf({ start: body.start.subarray(0, maxShownBody) }, answer.headers['content-type']),
  );
}

/** The names of cookies without their values, which may be credentials. */
function withoutCookies(value: string): string {
  return value.replace(/(^|, )([^=;,\s]+)=[^;,]*/g, '$1$2=***');
}

/** The phases between two readings of the stopwatch. */
export function between(before: Phases, after: Phases): { readonly [key: string]: Json } {
  const round = (ms: number) => Math.round(ms * 1000) / 1000;
  return {
    DNSTime: round(after.dns - before.dns),
    ConnectTime: round(after.connect - before.connect),
    SSLTime: round(after.ssl - before.ssl),
    TTFB: round(after.ttfb - before.ttfb),
    TTLB: round(after.ttlb - before.ttlb),
  };
}

/** Request headers that never follow a redirect to another origin, whatever their value. */
const privateHeader = /^(authorization|cookie|proxy-authorization|host|x-.*(key|token))$/i;

/**
 * The request without what another origin (scheme, host, port) must not get: credentials, and every header or body with
 * a secret of the check in any of its forms. `dropped` names the headers, and `Body`.
 */
export function withoutSecrets(
  request: RedirectHop,
  secrets: readonly string[],
): { readonly request: RedirectHop; readonly dropped: readonly string[] } {
  const forms = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, ...encodingsOf(secret)]);
  const lowerForms = [...new Set(forms.map((form) => form.toLowerCase()))];
  const isSecret = (text: string) => {
    const lower = text.toLowerCase();
    return lowerForms.some((form) => lower.includes(form));
  };
  const all = Object.entries(request.headers);
  const safe = all.filter(([name, value]) => !privateHeader.test(name) && !isSecret(`${name}: ${value}`));
  const dropsBody = request.body !== undefined && isSecret(request.body);
  const names = all.map(([name]) => name).filter((name) => !safe.some(([other]) => other === name));
  if (request.digest !== undefined) names.unshift('Authorization');
  return {
    request: {
      ...request,
      digest: undefined,
      headers: Object.fromEntries(dropsBody ? safe.filter(([name]) => !/^content-/i.test(name)) : safe),
      body: dropsBody ? undefined : request.body,
    },
    dropped: dropsBody ? [...names, 'Body'] : names,
  };
}
