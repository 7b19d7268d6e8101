import { isGood, isResultCode, type ResultCode, resultCode } from '@vantage/domain';
import { z } from 'zod';
import { showSeconds } from '../../contract/display.ts';
import { Failure, outcomeOf as failedOutcome } from '../../contract/failure.ts';
import { slowMsOption } from '../../contract/options.ts';
import type { CheckFunctions, Probe, ProbeOutcome } from '../../contract/probe.ts';
import type { Sandbox } from './sandbox.ts';
import { runSession, type SessionEnd } from './script-session.ts';

const options = z.strictObject({ SlowMs: slowMsOption });

const maxScriptLength = 64 * 1024;
const memoryMiB = 32;

/**
 * Script: the device's URL is a JavaScript program. It runs in a separate process without files, environment or
 * network. The agent runs the checks of its calls with the probes of the other Methods, under the same policy. The time
 * since its process is ready is in `ttlb`; the phases of its calls are in the extended data.
 * docs/script/vantage-script.d.ts declares its functions.
 */
export function createScript({
  sandbox,
  functions,
}: {
  readonly sandbox: Sandbox;
  readonly functions: CheckFunctions;
}): Probe<'Script', typeof options> {
  return {
    method: 'Script',
    purpose:
      'Runs a JavaScript program at the agent ([how to write one](script/README.md)). The check is good when the program ends without an error.',
    example: {
      URL: "await http({ url: 'https://www.example.com/' });",
      ShortName: 'shop-1',
      Options: { SlowMs: 5000 },
    },
    optionsCase: 'script',
    tracePackets: 'none',
    options,
    secretOptions: [],
    scriptFunctions: {},
    parseTarget(url) {
      const refuse = (message: string) => ({ ok: false as const, message });
      if (url.trim() === '')
        return refuse('the script is empty; accepted is the text of a JavaScript program');
      if (url.length > maxScriptLength) return refuse(`a script has at most ${maxScriptLength / 1024} KiB`);
      if (url.includes('\0')) return refuse('a script holds no NUL character');
      const none = { host: '', port: 0, scheme: 'script', user: undefined, password: undefined, path: '' };
      return { ok: true, target: { ...none, display: url, url } };
    },
    async run(context, target): Promise<ProbeOutcome> {
      const { signal, timeoutMs } = context;
      const secrets = new Map([...(context.secrets ?? [])].map(([name, value]) => [name, value.reveal()]));
      const guest = sandbox.start({ timeoutMs, memoryBytes: memoryMiB * 1024 * 1024 });
      context.own(guest);
      const kill = () => guest[Symbol.dispose]();
      signal.addEventListener('abort', kill, { once: true });
      try {
        const ended = await runSession(context, guest, { text: target.url, secrets, functions });
        return signal.aborted ? cutOff(ended, timeoutMs, signal.reason) : outcomeOf(ended);
      } finally {
        signal.removeEventListener('abort', kill);
        kill();
      }
    },
  };
}

/** The outcome of a script that was cut off: it keeps the values that it reported before. */
function cutOff(ended: SessionEnd, timeoutMs: number, reason: unknown): ProbeOutcome {
  const failure = notReady(ended, timeoutMs) ?? reason;
  if (!(failure instanceof Failure)) throw failure;
  return { ...failedOutcome(failure, ended.dataSize), values: ended.values };
}

/**
 * The failure of a script that had less than half of its time because its process started late. The device is not to
 * blame.
 */
function notReady({ readyMs }: SessionEnd, timeoutMs: number): Failure | undefined {
  if (readyMs !== undefined && readyMs <= timeoutMs / 2) return undefined;
  const late =
    readyMs === undefined
      ? `was not ready within ${showSeconds(timeoutMs)}`
      : `took ${showSeconds(readyMs)} to be ready`;
  return new Failure(resultCode.agent, `the script's process ${late}: this agent has too much to do`);
}

/** The outcome of a script. An uncaught failure of a call keeps its ResultCode. */
function outcomeOf({
  end,
  failedExpect,
  dataSize,
  calls,
  unanswered,
  values,
}: Omit<SessionEnd, 'readyMs'>): ProbeOutcome {
  const outcome = (code: ProbeOutcome['code'], text: string): ProbeOutcome => ({
    code,
    text,
    dataSize,
    extended: {},
    values,
  });
  if (failedExpect !== undefined) return outcome(resultCode.script, failedExpect);
  switch (end?.how) {
    case 'done':
      return outcome(resultCode.ok, `the script ended well after ${showCalls(calls, unanswered)}`);
    case 'expect':
    case 'error':
      return outcome(resultCode.script, showError(end.text));
    case 'memory':
      return outcome(resultCode.script, `the script needs more memory than its ${memoryMiB} MiB`);
    case 'late':
      return outcome(resultCode.timeout, 'the script did not end in time');
    case 'check':
      return outcome(codeOf(end.code), end.text);
    case undefined:
      throw new Failure(resultCode.agent, "this agent could not start the script's process, or it broke");
  }
}

function showCalls(calls: number, unanswered: number): string {
  const all = `${calls} ${calls === 1 ? 'call' : 'calls'}`;
  return unanswered === 0 ? all : `${all}, ${unanswered} of them not awaited`;
}

/** The text of an interpreter error, in the words of the documentation. */
function showError(text: string): string {
  if (text.includes('out of memory')) return `the script needs more memory than its ${memoryMiB} MiB`;
  if (text.includes('stack overflow')) return 'the script calls itself too deeply';
  if (text.includes('could not load module'))
    return 'a script cannot import anything: it has only the functions given';
  return text;
}

function codeOf(code: number | undefined): ResultCode {
  return code !== undefined && isResultCode(code) && !isGood(code) ? code : resultCode.script;
}
