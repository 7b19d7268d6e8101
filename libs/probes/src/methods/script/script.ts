import { isGood, isResultCode, type ResultCode, resultCode } from '@vantage/domain';
import { z } from 'zod';
import { Failure, showSeconds } from '../../contract/failure.ts';
import { slowMsOption } from '../../contract/options.ts';
import type { CheckFunctions, Outcome, Probe } from '../../contract/probe.ts';
import type { Sandbox } from './sandbox.ts';
import { runSession, type SessionEnd } from './session.ts';

const options = z.strictObject({ SlowMs: slowMsOption });

const longestScript = 64 * 1024;
const memoryMiB = 32;

/**
 * Script: the device's URL is a JavaScript program. It runs in a process of its own without files, environment or
 * network. The agent runs the checks of its functions with the other methods' probes, under the same policy. All its
 * time, from the moment its process is ready, is in `ttlb`; the phases of its calls are in the extended data. Its
 * functions: docs/script/vantage-script.d.ts.
 */
export function createScript({
  sandbox,
  functions,
}: {
  readonly sandbox: Sandbox;
  /** The functions that scripts have for checks. */
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
      if (url.length > longestScript) return refuse(`a script has at most ${longestScript / 1024} KiB`);
      if (url.includes('\0')) return refuse('a script holds no NUL character');
      const none = { host: '', port: 0, scheme: 'script', user: undefined, password: undefined, path: '' };
      return { ok: true, target: { ...none, display: url, url } };
    },
    async run(context, target): Promise<Outcome> {
      const { signal, timeoutMs } = context;
      const secrets = new Map([...(context.secrets ?? [])].map(([name, value]) => [name, value.reveal()]));
      const guest = sandbox.start({ timeoutMs, memoryBytes: memoryMiB * 1024 * 1024 });
      context.own(guest);
      const kill = () => guest[Symbol.dispose]();
      signal.addEventListener('abort', kill, { once: true });
      try {
        const ended = await runSession(context, guest, { text: target.url, secrets, functions });
        if (signal.aborted) throw notReady(ended, timeoutMs) ?? signal.reason;
        return outcomeOf(ended);
      } finally {
        signal.removeEventListener('abort', kill);
        kill();
      }
    },
  };
}

/**
 * The failure of a script that had less than half of its time because its process was late. The script's target is not
 * the cause.
 */
function notReady({ readyMs }: SessionEnd, timeoutMs: number): Failure | undefined {
  if (readyMs !== undefined && readyMs <= timeoutMs / 2) return undefined;
  const late =
    readyMs === undefined
      ? `was not ready within ${showSeconds(timeoutMs)}`
      : `took ${showSeconds(readyMs)} to be ready`;
  return new Failure(resultCode.agent, `the script's process ${late}: this agent has too much to do`);
}

/** The verdict of a script's run; a call's failure that the script let pass keeps its own ResultCode. */
function outcomeOf({
  end,
  failedExpect,
  dataSize,
  calls,
  unanswered,
}: Pick<SessionEnd, 'end' | 'failedExpect' | 'dataSize' | 'calls' | 'unanswered'>): Outcome {
  const of = (code: Outcome['code'], text: string): Outcome => ({ code, text, dataSize, extended: {} });
  if (failedExpect !== undefined) return of(resultCode.script, failedExpect);
  switch (end?.how) {
    case 'done':
      return of(resultCode.ok, `the script ended well after ${counted(calls, unanswered)}`);
    case 'expect':
    case 'error':
      return of(resultCode.script, explained(end.text));
    case 'memory':
      return of(resultCode.script, `the script needs more memory than its ${memoryMiB} MiB`);
    case 'late':
      return of(resultCode.timeout, 'the script did not end in time');
    case 'check':
      return of(codeOf(end.code), end.text);
    case undefined:
      throw new Failure(resultCode.agent, "this agent could not start the script's process, or it broke");
  }
}

function counted(calls: number, unanswered: number): string {
  const all = `${calls} ${calls === 1 ? 'call' : 'calls'}`;
  return unanswered === 0 ? all : `${all}, ${unanswered} of them not awaited`;
}

/** The interpreter's error text, for people. */
function explained(text: string): string {
  if (text.includes('out of memory')) return `the script needs more memory than its ${memoryMiB} MiB`;
  if (text.includes('stack overflow')) return 'the script calls itself too deeply';
  if (text.includes('could not load module'))
    return 'a script cannot import anything: it has only the functions given';
  return text;
}

function codeOf(code: number | undefined): ResultCode {
  return code !== undefined && isResultCode(code) && !isGood(code) ? code : resultCode.script;
}
