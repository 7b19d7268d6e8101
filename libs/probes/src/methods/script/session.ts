import type { Json } from '@vantage/domain';
import { resultCode } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import type { ProbeContext, StepResult } from '../../contract/probe.ts';
import { readCall } from './calls.ts';
import {
  beginLine,
  errorLine,
  type GuestCall,
  type GuestEnd,
  type GuestMessage,
  readMessage,
  valueLine,
} from './messages.ts';
import { createRecord } from './record.ts';
import type { Guest } from './sandbox.ts';

const maxCalls = 100;
const maxAtOnce = 10;
/** Calls, sleeps, steps and logs together: each costs the agent time. */
const maxMessages = 5000;
const longestSleepMs = 120_000;

const broken: GuestEnd = {
  kind: 'end',
  how: 'error',
  text: 'the script broke the functions it was given',
};

/** How a script's run ended. */
export interface SessionEnd {
  /** undefined: its process is gone without a word. */
  readonly end: GuestEnd | undefined;
  /** The text of the first `expect` that failed, even when the script caught it. */
  readonly failedExpect: string | undefined;
  /** Bytes of all answers. */
  readonly dataSize: number;
  /** What the script did, for the text. */
  readonly calls: number;
  /** Calls that had no answer yet when the script ended. */
  readonly unanswered: number;
  /** When its interpreter was ready, milliseconds after the beginning; undefined: never. */
  readonly readyMs: number | undefined;
}

type Context = Pick<ProbeContext, 'clock' | 'signal' | 'stopwatch' | 'runStep' | 'addDetail'>;

/** A script's run as the agent sees it: begins it in a guest, does what its functions ask for and keeps the record. */
export async function runSession(
  context: Context,
  guest: Guest,
  script: { readonly text: string; readonly secrets: ReadonlyMap<string, string> },
): Promise<SessionEnd> {
  const { clock, signal, stopwatch } = context;
  const record = createRecord(() => clock.monoMs());
  context.addDetail('Steps', () => record.steps());
  context.addDetail('Log', () => record.log());
  let failedExpect: string | undefined;
  let end: GuestEnd | undefined;
  let calls = 0;
  let atOnce = 0;
  let dataSize = 0;
  let messages = 0;
  let readyMs: number | undefined;
  const startMs = clock.monoMs();

  const look = async (call: GuestCall): Promise<string> => {
    const refuse = (text: string) => errorLine(call.id, { code: resultCode.script, text, facts: {} });
    if (calls >= maxCalls) return refuse(`a script makes at most ${maxCalls} calls`);
    if (atOnce >= maxAtOnce) return refuse(`a script makes at most ${maxAtOnce} calls at once`);
    const request = readCall(call.name, call.options);
    if (typeof request === 'string') return refuse(request);
    calls += 1;
    atOnce += 1;
    const entry = record.call(call.name, call.line);
    try {
      const result = await context.runStep(request);
      entry(result);
      if (!result.ok) return refuse(`${call.name}(): ${result.message}`);
      dataSize += result.measurement.dataSize;
      return answerLine(call, result);
    } finally {
      atOnce -= 1;
    }
  };
  const sleep = async (call: GuestCall): Promise<string> => {
    const { ms } = call.options;
    if (typeof ms !== 'number' || !(ms >= 0) || ms > longestSleepMs) {
      const text = `sleep() takes milliseconds, 0 to ${longestSleepMs}`;
      return errorLine(call.id, { code: resultCode.script, text, facts: {} });
    }
    await clock.sleep(ms, signal);
    return valueLine(call.id, null);
  };
  const answer = async (call: GuestCall) => {
    try {
      guest.send(await (call.name === 'sleep' ? sleep(call) : look(call)));
    } catch (error) {
      if (signal.aborted) return;
      const text = `${call.name}() failed in the agent: ${messageOf(error)}`;
      guest.send(errorLine(call.id, { code: resultCode.agent, text, facts: {} }));
    }
  };
  const obey = (message: GuestMessage) => {
    switch (message.kind) {
      case 'ready':
        // Once: else a broken guest would have script and secrets sent without end, and nobody reads them.
        if (readyMs !== undefined) {
          end ??= broken;
          return;
        }
        readyMs = clock.monoMs() - startMs;
        stopwatch.enter('ttlb');
        guest.send(beginLine(script.text, script.secrets));
        return;
      case 'call':
        void answer(message);
        return;
      case 'step':
        record.step(message.id, message.name, message.state);
        return;
      case 'log':
        record.say(message.text);
        return;
      case 'expect':
        failedExpect ??= message.text;
        return;
      case 'end':
        end ??= message;
    }
  };

  for await (const line of guest.lines) {
    const message = readMessage(line);
    if (message === undefined) {
      end ??= broken;
      break;
    }
    obey(message);
    messages += 1;
    if (messages > maxMessages && !end) {
      end = {
        kind: 'end',
        how: 'error',
        text: `the script made more than ${maxMessages} calls, steps and logs`,
      };
    }
    if (end) break;
  }
  if (end?.line !== undefined) context.addDetail('Line', end.line);
  return { end, failedExpect, dataSize, calls, unanswered: atOnce, readyMs };
}

/** What a looking function returns or throws. */
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
