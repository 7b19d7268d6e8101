import { inspect } from 'node:util';

/** The action of a loop after a failed piece of work. */
export type FaultAction =
  | 'stop' // it cannot work at all: log the reason and end
  | 'retry' // repeat the same later
  | 'drop'; // this piece fails for ever: count it and go on

/**
 * An unexpected failure, named by the next action of the loop; `code` is closed per module, data are fields, the cause
 * is kept.
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

/** The action for a caught value: the action of a Fault, and `retry` for everything else. */
export function actionOf(error: unknown): FaultAction {
  return error instanceof Fault ? error.action : 'retry';
}

/** One line for people from anything thrown. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return textOf(error);
  // Node's connect to a name with several addresses fails with several reasons and no message of its own.
  if (error.message === '' && error instanceof AggregateError)
    return error.errors.map(messageOf).join('; ') || error.name;
  return error.message || error.name;
}

/** The text of a thrown value that is not an Error. Errors of another realm or process arrive as such objects. */
function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('message' in value && typeof value.message === 'string' && value.message !== '') return value.message;
  return inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
}
