import type { CheckFunctions, ProbeContext } from '../../contract/probe.ts';
import { createCallRunner } from './call-runner.ts';
import { targetMember } from './calls.ts';
import { beginLine, type GuestEnd, type GuestMessage, readMessage } from './messages.ts';
import { createRecord } from './record.ts';
import type { Guest } from './sandbox.ts';

/** Calls, sleeps, steps and logs together: each costs the agent time. */
const maxMessages = 5000;

/** How a script's run ended. */
export interface SessionEnd {
  /** undefined: the guest process ended without a message. */
  readonly end: GuestEnd | undefined;
  /** The text of the first `expect` that failed, even when the script caught it. */
  readonly failedExpect: string | undefined;
  /** Bytes of all answers. */
  readonly dataSize: number;
  /** How many calls the script made, for the text. */
  readonly calls: number;
  /** Calls that had no answer yet when the script ended. */
  readonly unanswered: number;
  /** When the interpreter was ready, milliseconds after the beginning; undefined: never. */
  readonly readyMs: number | undefined;
}

type Context = Pick<ProbeContext, 'clock' | 'signal' | 'stopwatch' | 'runStep' | 'addDetail'>;

/** A script with all that it is given. */
export interface SessionScript {
  readonly text: string;
  readonly secrets: ReadonlyMap<string, string>;
  readonly functions: CheckFunctions;
}

/** Runs a script in a guest: sends it the script, answers its calls and keeps the record, until it ends. */
export async function runSession(
  context: Context,
  guest: Guest,
  { text, secrets, functions }: SessionScript,
): Promise<SessionEnd> {
  const { clock, stopwatch } = context;
  const record = createRecord(() => clock.monoMs());
  context.addDetail('Steps', () => record.steps());
  context.addDetail('Log', () => record.log());
  const send = (line: string) => guest.send(line);
  const runner = createCallRunner({ context, functions, record, send });
  const startMs = clock.monoMs();
  let state = noMessages;

  const act = (message: GuestMessage | undefined, isFirstReady: boolean) => {
    if (isFirstReady) {
      stopwatch.enter('ttlb');
      const targets = [...functions].map(([name, each]) => [name, targetMember(each)]);
      const given = { secrets: Object.fromEntries(secrets), functions: Object.fromEntries(targets) };
      guest.send(beginLine({ script: text, ...given }));
    } else if (message?.kind === 'call') void runner.answer(message);
    else if (message?.kind === 'step') record.step(message.id, message.name, message.state);
    else if (message?.kind === 'log') record.say(message.text);
  };

  for await (const line of guest.lines) {
    const message = readMessage(line);
    const wasReady = state.readyMs !== undefined;
    state = afterMessage(state, message, clock.monoMs() - startMs);
    act(message, !wasReady && state.readyMs !== undefined);
    if (state.end) break;
  }
  const { end, failedExpect, readyMs } = state;
  if (end?.line !== undefined) context.addDetail('Line', end.line);
  return { end, failedExpect, readyMs, ...runner.totals() };
}

/** The state of a run, from the messages of its guest. */
interface SessionState {
  readonly messages: number;
  readonly readyMs: number | undefined;
  readonly failedExpect: string | undefined;
  readonly end: GuestEnd | undefined;
}

const noMessages: SessionState = { messages: 0, readyMs: undefined, failedExpect: undefined, end: undefined };

const broken = endOf('the script broke the functions it was given');
const tooMuch = endOf(`the script made more than ${maxMessages} calls, steps and logs`);

function endOf(text: string): GuestEnd {
  return { kind: 'end', how: 'error', text };
}

/**
 * The state after one more message; undefined is a line that is no message. A guest is ready once, because a broken
 * guest that repeats it would be sent script and secrets without end. Pure.
 */
function afterMessage(state: SessionState, message: GuestMessage | undefined, nowMs: number): SessionState {
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
      return next;
  }
}
