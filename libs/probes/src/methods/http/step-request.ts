import { notMet } from '../../contract/failure.ts';
import { headerValuePattern } from '../../contract/headers.ts';
import type { RedirectHop } from './http-hop.ts';
import { withoutSecrets } from './http-redirects.ts';
import { parseHttpTarget } from './http-target.ts';
import type { HttpStep } from './step-options.ts';
import { fillValues, hasFixedOrigin, originOf } from './step-values.ts';

/** The parts of a check that its steps share. */
export interface SharedRequest {
  /** The device's URL, without its login. */
  readonly base: URL;
  /** The login and the headers of the Options, for the origin of the device's URL. */
  readonly headers: Readonly<Record<string, string>>;
  readonly digest: RedirectHop['digest'];
  readonly cookies: RedirectHop['cookies'];
  /** The secrets of the check, each for the origin for which it was set only. */
  readonly secrets: readonly string[];
}

const maxBody = 256 * 1024;
const maxHeader = 16 * 1024;

/*
 *   the URL of the step leads to       | gets
 *   the origin of the device's URL     | login and headers of the Options, headers and body of the step
 *   another one, named in the settings | headers of the Options without secrets, headers and body of the step
 *   another one, named by an answer    | all of these without secrets, as after a redirect
 */

/** The request of a step with its values. Throws Failure 7 for a value that does not fit. Pure. */
export function requestOfStep(
  step: HttpStep,
  shared: SharedRequest,
  values: ReadonlyMap<string, string>,
): { readonly request: RedirectHop; readonly dropped: readonly string[] } {
  const { base, cookies, digest, secrets } = shared;
  const url = urlOf(step.URL, base, values);
  const own = {
    url,
    method: step.Method,
    body: bodyOf(step, values),
    headers: Object.fromEntries(
      Object.entries(step.Headers).map(([name, text]) => [name, headerOf(name, text, values)]),
    ),
    cookies,
  };
  const common: RedirectHop = { url, method: step.Method, body: undefined, headers: shared.headers, digest };
  if (url.origin === base.origin)
    return { request: { ...own, headers: joined(common.headers, own.headers), digest }, dropped: [] };
  const kept = withoutSecrets(common, secrets);
  const isNamed = step.URL === undefined || hasFixedOrigin(step.URL);
  const { request, dropped } = isNamed ? { request: own, dropped: [] } : withoutSecrets(own, secrets);
  return {
    request: { ...request, headers: joined(kept.request.headers, request.headers) },
    dropped: [...new Set([...kept.dropped, ...dropped])],
  };
}

/** Headers of the Options and of a step; those of the step replace others of the same name. */
function joined(
  common: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const others = Object.entries(common).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(others), ...own };
}

/** Where a value begins the URL it is taken as it stands, perhaps as a whole URL. Elsewhere it is percent-encoded. */
function urlOf(template: string | undefined, base: URL, values: ReadonlyMap<string, string>): URL {
  if (template === undefined) return new URL(base);
  const text = fillValues(template, (name, at) => {
    const value = values.get(name) ?? '';
    return at === 0 ? value.trim() : encodeURIComponent(value.toWellFormed());
  });
  const parsed = URL.canParse(text, base.href) ? new URL(text, base) : undefined;
  const found = parsed === undefined ? undefined : parseHttpTarget(parsed.href);
  if (parsed === undefined || found?.ok !== true) {
    const why = found?.ok === false ? found.message : 'this is no web address';
    throw notMet(`its URL with the extracted values is not accepted: ${why}`);
  }
  // An empty value in `/${x}/y` would make a host of y.
  if (hasFixedOrigin(template) && parsed.origin !== new URL(originOf(template) ?? base.href).origin)
    throw notMet('its URL with the extracted values leads to another host than the settings name');
  parsed.username = '';
  parsed.password = '';
  parsed.hash = '';
  return parsed;
}

function headerOf(name: string, template: string, values: ReadonlyMap<string, string>): string {
  const text = fillValues(template, (key) => values.get(key) ?? '');
  if (headerValuePattern.test(text) && text.length <= maxHeader) return text;
  throw notMet(`a value does not fit into header ${name}: it needs one line of Latin-1, at most 16 KiB`);
}

function bodyOf({ Body, Headers }: HttpStep, values: ReadonlyMap<string, string>): string | undefined {
  if (Body === undefined) return undefined;
  const type = Object.entries(Headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const escaped = escapeFor(type);
  const text = fillValues(Body, (name) => escaped(values.get(name) ?? ''));
  if (text.length > maxBody) throw notMet('its body with the extracted values is over 256 KiB');
  return text;
}

function escapeFor(type: string): (value: string) => string {
  if (/^application\/x-www-form-urlencoded/i.test(type))
    return (value) => encodeURIComponent(value.toWellFormed());
  if (/^[^;]*[/+]json/i.test(type)) return (value) => JSON.stringify(value).slice(1, -1);
  return (value) => value;
}
