import { type MeasuredValue, maxValues } from '@vantage/domain';
import type { CheckFunctions, ProbeContext } from '../../contract/probe.ts';
import { createCallRunner } from './call-runner.ts';
import { beginLine, type GuestEnd, type GuestMessage, readMessage } from './guest-messages.ts';
import { targetMember } from './read-call.ts';
import type { Guest } from './sandbox.ts';
import { createRecord } from './script-record.ts';

/** Calls, sleeps, steps, logs and values together. Each costs the agent time. */
const maxMessages = 5000;

/** The end of a script's run. */
export interface SessionEnd {
  /** Undefined if the guest process ended without a message. */
  readonly end: GuestEnd | undefined;
  /** The text of the first `expect` that failed, even if the script caught its error. */
  readonly failedExpect: string | undefined;
  /** Bytes of all answers. */
  readonly dataSize: number;
  /** The number of calls. */
  readonly calls: number;
  /** The number of calls without an answer when the script ended. */
  readonly unanswered: number;
  /** The values that the script reported, by label in the order of the first reports; of each the last. */
  readonly values: readonly MeasuredValue[];
  /** The time until the interpreter was ready, milliseconds; undefined if it never was. */
  readonly readyMs: number | undefined;
}

type SessionContext = Pick<ProbeContext, 'clock' | 'signal' | 'stopwatch' | 'runStep' | 'addDetail'>;

export interface SessionScript {
  readonly text: string;
  readonly secrets: ReadonlyMap<string, string>;
  readonly functions: CheckFunctions;
}

/** Sends a script to a guest, answers its calls and records its steps, until it ends. */
export async function runSession(
  context: SessionContext,
  guest: Guest,
  { text, secrets, functions }: SessionScript,
): Promise<SessionEnd> {
  const { clock, stopwatch } = context;
  const record = createRecord(() => clock.monoMs());
  context.addDetail('Steps', () => record.steps());
  context.addDetail('Log', () => record.logLines());
  const send = (line: string) => guest.send(line);
  const runner = createCallRunner({ context, functions, record, send });
  const values = new Map<string, MeasuredValue>();
  const startMs = clock.monoMs();
  let state = noMessages;

  const act = (message: GuestMessage | undefined, isFirstReady: boolean) => {
    if (isFirstReady) {
      stopwatch.enter('ttlb');
      const targets = [...functions].map(([name, definition]) => [name, targetMember(definition)]);
      const values = { secrets: Object.fromEntries(secrets), functions: Object.fromEntries(targets) };
      guest.send(beginLine({ script: text, ...values }));
    } else if (message?.kind === 'call') void runner.answer(message);
    else if (message?.kind === 'step') record.step(message.id, message.name, message.state);
    else if (message?.kind === 'log') record.log(message.text);
    else if (message?.kind === 'value') {
      const { label: Label, value: Value, unit: Unit } = message;
      values.set(Label, { Label, Value, Unit });
    }
  };

  for await (const line of guest.lines) {
    const message = readMessage(line);
    const wasReady = state.readyMs !== undefined;
    state = afterMessage(state, message, clock.monoMs() - startMs);
    act(message, !wasReady && state.readyMs !== undefined);
    if (values.size > maxValues) state = { ...state, end: tooManyValues };
    if (state.end) break;
  }
  const { end, failedExpect, readyMs } = state;
  if (end?.line !== undefined) context.addDetail('Line', end.line);
  return { end, failedExpect, readyMs, values: [...values.values()], ...runner.totals() };
}

/** The state of a run, from the messages of its guest. */
interface ScriptSessionState {
  readonly messages: number;
  readonly readyMs: number | undefined;
  readonly failedExpect: string | undefined;
  readonly end: GuestEnd | undefined;
}

const noMessages: ScriptSessionState = {
  messages: 0,
  readyMs: undefined,
  failedExpect: undefined,
  end: undefined,
};

const broken = endOf('the script broke the functions it was given');
const tooMuch = endOf(`the script made more than ${maxMessages} calls, steps, logs and values`);
const tooManyValues = endOf(`the script reported more than ${maxValues} values`);

function endOf(text: string): GuestEnd {
  return { kind: 'end', how: 'error', text };
}

/**
 * The state after a message, or after an invalid line (undefined). A guest may be ready only once; otherwise a broken
 * guest could make the agent send script and secrets without end. Pure.
 */
function afterMessage(
  state: ScriptSessionState,
  message: GuestMessage | undefined,
  nowMs: number,
): ScriptSessionState {
  if (message === undefined) return { ...state, end: broken };
  const messages = state.messages + 1;
  const next = { ...state, messages, end: messages > maxMessages ? tooMuch : undefined };
  switch (message.kind) {
    case 'ready':
      return state.readyMs === undefined ? { ...next, readyMs: nowMs } : { ...next, end: broken };
    case 'expect':
      return { ...next, failedExpect: state.failedExpect ?? message.text };
    case 'end':
      return { ...next, end: message };
    case 'call':
    case 'step':
    case 'log':
    case 'value':
      return next;
  }
}
