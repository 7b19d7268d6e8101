import { resultCode } from '@vantage/domain';
import { Secret } from '@vantage/kernel';
import type { Probe, ProbeContext, Target } from '../../contract/probe.ts';
import { secretValues } from '../../redact/secret-options.ts';
import { textSearch } from '../../search/text-search.ts';
import { basic, type RedirectHop } from './http-hop.ts';
import { type HttpOptions, httpOptions, httpSecretOptions } from './http-options.ts';
import { followRedirects } from './http-redirects.ts';
import { parseHttpTarget } from './http-target.ts';
import { judge, statusText, textOf } from './judge-response.ts';
import { httpFunctions } from './script-functions.ts';

/** The part of a body that a script gets, characters. */
const maxScriptBody = 256 * 1024;

/**
 * HTTP: sends a request over HTTP/1.1 or HTTP/2, follows redirects and judges the last answer. Every hop has a separate
 * connection.
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

  async run(context, target, options) {
    if (options.ExpectRegex !== undefined || options.ExpectJSONPath !== undefined) textSearch.prepare();
    const first = firstHop(context, target, options);
    const loggedIn = Object.keys(first.headers).some((name) => name.toLowerCase() === 'authorization');
    const secrets = secretsOf(context, target, options);
    const { answer, body, redirects } = await followRedirects(context, first, options, secrets);
    const phases = context.stopwatch.read();
    const { signal } = context;
    const fault = await judge(answer, body, options, { phases, loggedIn, redirects, signal });
    const code = fault?.code ?? resultCode.ok;
    return {
      code,
      text: fault?.message ?? statusText(answer),
      dataSize: body.wire,
      extended: fault?.extended ?? {},
      answer: () => ({
        status: answer.status,
        headers: answer.headers,
        body: textOf(body, answer.headers['content-type']).slice(0, maxScriptBody),
      }),
    };
  },
};

function firstHop(context: ProbeContext, target: Target, options: HttpOptions): RedirectHop {
  const url = new URL(target.url);
  url.username = '';
  url.password = '';
  url.hash = '';
  const user = options.User ?? target.user;
  const password = options.Password === undefined ? target.password : new Secret(options.Password);
  const login: Record<string, string> =
    user === undefined ? {} : { Authorization: basic(context, user, password) };
  return { url, method: options.Method, body: options.Body, headers: { ...login, ...options.Headers } };
}

/** The secrets that no other origin may get: the login and the values of all references. */
function secretsOf(context: ProbeContext, target: Target, options: HttpOptions): readonly string[] {
  const referenced = [...(context.secrets?.values() ?? [])].map((secret) => secret.reveal());
  return [...referenced, ...secretValues(http, target, options)];
}
