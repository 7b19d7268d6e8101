import { resultCode } from '@vantage/domain';
import type { Probe, ProbeContext, Target } from '../../contract/probe.ts';
import { secretValues } from '../../redact/secret-options.ts';
import { textSearch } from '../../search/text-search.ts';
import type { RedirectHop } from './http-hop.ts';
import { type HttpLogin, loginOf } from './http-login.ts';
import { type HttpOptions, httpOptions, httpSecretOptions } from './http-options.ts';
import { followRedirects } from './http-redirects.ts';
import { runHttpSteps } from './http-steps.ts';
import { parseHttpTarget, sentUrl } from './http-target.ts';
import { judge, statusText } from './judge-response.ts';
import { httpFunctions, scriptAnswer } from './script-functions.ts';

/**
 * HTTP: sends a request over HTTP/1.1 or HTTP/2, follows redirects and judges the last answer, or runs several steps.
 * Every request has a separate connection.
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
    const login = loginOf(context, target, options);
    const secrets = secretsOf(context, target, options);
    if (options.Steps.length > 0) return runHttpSteps(context, target, options, { login, secrets });
    if (options.ExpectRegex !== undefined || options.ExpectJSONPath !== undefined) textSearch.prepare();
    const first = firstHop(target, options, login);
    const { answer, body, redirects } = await followRedirects(context, first, options, { secrets });
    const phases = context.stopwatch.read();
    const { signal } = context;
    const refusal = login.refusal();
    const fault = await judge(answer, body, options, { phases, refusal, redirects, signal });
    const code = fault?.code ?? resultCode.ok;
    return {
      code,
      text: fault?.message ?? statusText(answer),
      dataSize: body.wire,
      extended: fault?.extended ?? {},
      answer: scriptAnswer({ answer, body }),
    };
  },
};

function firstHop(target: Target, options: HttpOptions, login: HttpLogin): RedirectHop {
  const headers = { ...login.headers, ...options.Headers };
  const { digest } = login;
  return { url: sentUrl(target), method: options.Method, body: options.Body, headers, digest };
}

/** The secrets that no other origin may get: the login and the values of all references. */
function secretsOf(context: ProbeContext, target: Target, options: HttpOptions): readonly string[] {
  const referenced = [...(context.secrets?.values() ?? [])].map((secret) => secret.reveal());
  return [...referenced, ...secretValues(http, target, options)];
}
