import type { Json } from '@vantage/domain';
import { resultCode } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import type { CheckFunctions, ProbeContext, StepResult } from '../../contract/probe.ts';
import { errorLine, type GuestCall, valueLine } from './guest-messages.ts';
import { readCall } from './read-call.ts';
import type { ScriptRecord } from './script-record.ts';

const maxCalls = 100;
const maxConcurrentCalls = 10;
const maxSleepMs = 120_000;

export interface CallRunner {
  /** Runs a call and sends its answer. Never rejects. */
  answer(call: GuestCall): Promise<void>;
  /** The calls that began, those without an answer, and the bytes of all answers. */
  totals(): { readonly calls: number; readonly unanswered: number; readonly dataSize: number };
}

/** Runs the calls of one script; `send` sends a line to the guest. */
export function createCallRunner(deps: {
  readonly context: Pick<ProbeContext, 'clock' | 'signal' | 'runStep'>;
  readonly functions: CheckFunctions;
  readonly record: Pick<ScriptRecord, 'call'>;
  readonly send: (line: string) => void;
}): CallRunner {
  const { context, functions, record, send } = deps;
  let calls = 0;
  let running = 0;
  let dataSize = 0;

  const check = async (call: GuestCall): Promise<string> => {
    if (calls >= maxCalls) return refusal(call, `a script makes at most ${maxCalls} calls`);
    if (running >= maxConcurrentCalls)
      return refusal(call, `a script makes at most ${maxConcurrentCalls} calls at once`);
    const request = readCall(functions, call.name, call.options);
    if (typeof request === 'string') return refusal(call, request);
    calls += 1;
    running += 1;
    const setResult = record.call(call.name, call.line);
    try {
      const result = await context.runStep(request);
      setResult(result);
      if (!result.ok) return refusal(call, `${call.name}(): ${result.message}`);
      dataSize += result.measurement.dataSize;
      return answerLine(call, result);
    } finally {
      running -= 1;
    }
  };
  const sleep = async (call: GuestCall): Promise<string> => {
    const { ms } = call.options;
    if (typeof ms !== 'number' || !(ms >= 0) || ms > maxSleepMs)
      return refusal(call, `sleep() takes milliseconds, 0 to ${maxSleepMs}`);
    await context.clock.sleep(ms, context.signal);
    return valueLine(call.id, null);
  };

  return {
    async answer(call) {
      try {
        send(await (call.name === 'sleep' ? sleep(call) : check(call)));
      } catch (error) {
        if (context.signal.aborted) return;
        const text = `${call.name}() failed in the agent: ${messageOf(error)}`;
        send(errorLine(call.id, { code: resultCode.agent, text, facts: {} }));
      }
    },
    totals: () => ({ calls, unanswered: running, dataSize }),
  };
}

/** The answer to an invalid call. */
function refusal({ id }: GuestCall, text: string): string {
  return errorLine(id, { code: resultCode.script, text, facts: {} });
}

/** The answer to a call whose check has ended: the function returns the facts, or throws them. */
function answerLine(call: GuestCall, { measurement, answer }: Extract<StepResult, { ok: true }>): string {
  const { dns, connect, ssl, ttfb, ttlb } = measurement.phases;
  const facts: Json = {
    ...answer,
    ms: Math.round((dns + connect + ssl + ttfb + ttlb) * 1000) / 1000,
    phases: { dns, connect, ssl, ttfb, ttlb },
    size: measurement.dataSize,
    facts: measurement.extended,
  };
  if (measurement.code === resultCode.ok) return valueLine(call.id, { text: measurement.text, ...facts });
  return errorLine(call.id, { code: measurement.code, text: measurement.text, facts });
}
