import { type Json, resultCode } from '@vantage/domain';
import type { Phases } from '../../contract/dial.ts';
import { Failure } from '../../contract/failure.ts';
import type { ProbeContext, ProbeOutcome, Target } from '../../contract/probe.ts';
import { textSearch } from '../../search/text-search.ts';
import { CookieJar } from './cookie-jar.ts';
import { extractValues } from './extract-values.ts';
import type { HttpHopResult } from './http-hop.ts';
import type { HttpLogin } from './http-login.ts';
import type { HttpOptions } from './http-options.ts';
import { between, followRedirects } from './http-redirects.ts';
import { sentUrl } from './http-target.ts';
import { judge, statusText } from './judge-response.ts';
import { scriptAnswer } from './script-functions.ts';
import type { HttpStep } from './step-options.ts';
import { requestOfStep, type SharedRequest } from './step-request.ts';

/** The entry of a step in the extended data. */
type StepEntry = Map<string, Json | (() => Json)>;

interface RunningSteps {
  readonly context: ProbeContext;
  readonly options: HttpOptions;
  readonly login: HttpLogin;
  readonly cookies: CookieJar;
  readonly shared: Omit<SharedRequest, 'secrets'>;
  readonly values: Map<string, string>;
  /** The secrets of the settings, and the values that are marked Secret. */
  readonly secrets: string[];
}

/**
 * Runs the steps in turn, up to the first that fails. The phases of the check are the sums over all requests. Each step
 * that began has an entry in the extended data, and the text of a failure names it.
 */
export async function runHttpSteps(
  context: ProbeContext,
  target: Target,
  options: HttpOptions,
  { login, secrets }: { readonly login: HttpLogin; readonly secrets: readonly string[] },
): Promise<ProbeOutcome> {
  const { Steps } = options;
  if (Steps.some(needsSearch)) textSearch.prepare();
  const cookies = new CookieJar((value) => context.redact(value));
  const headers = { ...login.headers, ...options.Headers };
  const shared = { base: sentUrl(target), headers, digest: login.digest, cookies };
  const running: RunningSteps = {
    context,
    options,
    login,
    cookies,
    shared,
    values: new Map(),
    secrets: [...secrets],
  };
  const entries: StepEntry[] = [];
  context.addDetail('Steps', () => entries.map(shownEntry));
  let dataSize = 0;
  let last: HttpHopResult | undefined;
  for (const [at, step] of Steps.entries()) {
    const title = `step ${at + 1} (${step.Name})`;
    const entry: StepEntry = new Map([['Name', step.Name]]);
    entries.push(entry);
    context.beginPart(title);
    last = await runNamed(running, step, { title, entry });
    dataSize += last.body.wire;
  }
  context.beginPart(undefined);
  const status = last === undefined ? '' : statusText(last.answer);
  const text = `${status} after ${Steps.length} ${Steps.length === 1 ? 'step' : 'steps'}`;
  const tookMs = sumOf(context.stopwatch.read());
  const { MaxTimeMs } = options;
  if (MaxTimeMs !== undefined && tookMs > MaxTimeMs)
    throw new Failure(
      resultCode.expectation,
      `all steps took ${Math.round(tookMs)} ms, at most ${MaxTimeMs} ms are expected`,
    );
  return {
    code: resultCode.ok,
    text,
    dataSize,
    extended: {},
    ...(last !== undefined && { answer: scriptAnswer(last) }),
  };
}

/** Runs a step. Its entry has the phases and the result, and a failure names the step. */
async function runNamed(
  running: RunningSteps,
  step: HttpStep,
  { title, entry }: { readonly title: string; readonly entry: StepEntry },
): Promise<HttpHopResult> {
  const { stopwatch, signal } = running.context;
  const before = stopwatch.read();
  const finish = (result: string, isGood: boolean) => {
    entry.set('Result', result);
    entry.set('Good', isGood);
    for (const [phase, ms] of Object.entries(between(before, stopwatch.read()))) entry.set(phase, ms);
  };
  try {
    const result = await runStep(running, step, entry, before);
    finish(statusText(result.answer), true);
    return result;
  } catch (error) {
    finish(error instanceof Failure ? error.message : 'failed', false);
    // The check was cut off. Its text is that of the deadline, which names the step too.
    if (signal.aborted || !(error instanceof Failure)) throw error;
    const { code, extended, reason } = error;
    throw new Failure(code, `${title}: ${error.message}`, {
      extended,
      cause: error,
      ...(reason !== undefined && { reason }),
    });
  }
}

async function runStep(
  running: RunningSteps,
  step: HttpStep,
  entry: StepEntry,
  before: Phases,
): Promise<HttpHopResult> {
  const { context, options, login, cookies, shared, values, secrets } = running;
  const { request, dropped } = requestOfStep(step, { ...shared, secrets }, values);
  const note = (key: string, value: Json | (() => Json)) => void entry.set(key, value);
  note('Method', request.method);
  if (dropped.length > 0) note('Dropped', [...dropped]);
  const result = await followRedirects(context, request, options, { secrets, note });
  const { answer, body, peer, redirects } = result;
  note('Status', answer.status);
  note('Address', peer);
  note('DataSize', body.wire);
  const after = context.stopwatch.read();
  const { signal } = context;
  const phases = difference(before, after);
  const refusal = login.refusal();
  const fault = await judge(answer, body, expectationsOf(step, options), {
    phases,
    refusal,
    redirects,
    signal,
  });
  if (fault !== undefined) throw fault;
  const taken = await extractValues(step.Extract, { answer, body, cookies }, signal);
  for (const { Name, Secret } of step.Extract) {
    const value = taken.get(Name) ?? '';
    values.set(Name, value);
    if (!Secret) continue;
    secrets.push(value);
    context.redact(value);
  }
  return result;
}

/** The Options with the expectations of a step. */
function expectationsOf(step: HttpStep, options: HttpOptions): HttpOptions {
  const { ExpectStatus, ExpectText, ExpectRegex, ExpectJSONPath, ExpectJSONValue, MaxTimeMs } = step;
  return { ...options, ExpectStatus, ExpectText, ExpectRegex, ExpectJSONPath, ExpectJSONValue, MaxTimeMs };
}

function needsSearch({ ExpectRegex, ExpectJSONPath, Extract }: HttpStep): boolean {
  const searches = Extract.some(({ JSONPath, Regex }) => JSONPath !== undefined || Regex !== undefined);
  return searches || ExpectRegex !== undefined || ExpectJSONPath !== undefined;
}

function difference(before: Phases, after: Phases): Phases {
  return {
    dns: after.dns - before.dns,
    connect: after.connect - before.connect,
    ssl: after.ssl - before.ssl,
    ttfb: after.ttfb - before.ttfb,
    ttlb: after.ttlb - before.ttlb,
  };
}

function sumOf({ dns, connect, ssl, ttfb, ttlb }: Phases): number {
  return dns + connect + ssl + ttfb + ttlb;
}

function shownEntry(entry: StepEntry): Json {
  return Object.fromEntries(
    [...entry].map(([key, value]) => [key, typeof value === 'function' ? value() : value]),
  );
}
