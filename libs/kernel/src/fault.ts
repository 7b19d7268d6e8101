import { inspect } from 'node:util';

/** The reaction of a loop to a failed task. */
export type FaultAction =
  | 'stop' // it cannot work at all: log the reason and end
  | 'retry' // repeat the task later
  | 'drop'; // the task would always fail: count it and continue

/**
 * An unexpected failure with the next action of the loop. Each module has a closed list of codes; data are fields, and
 * the cause is kept.
 */
export class Fault extends Error {
  readonly action: FaultAction;
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    action: FaultAction,
    code: string,
    message: string,
    options: { cause?: unknown; data?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'Fault';
    this.action = action;
    this.code = code;
    this.data = options.data ?? {};
  }
}

/** The action after a caught value: that of a Fault, else `retry`. */
export function actionOf(error: unknown): FaultAction {
  return error instanceof Fault ? error.action : 'retry';
}

/** One line for people from any thrown value. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return textOf(error);
  // When a name has several addresses, Node's connect fails with several reasons and an empty message.
  if (error.message === '' && error instanceof AggregateError)
    return error.errors.map(messageOf).join('; ') || error.name;
  return error.message || error.name;
}

/** The text of a thrown value that is not an Error, as errors of another realm or process are. */
function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('message' in value && typeof value.message === 'string' && value.message !== '') return value.message;
  return inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
}
