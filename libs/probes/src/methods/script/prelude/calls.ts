import type { FailureFacts, Failures } from './failures.ts';
import type { Natives } from './natives.ts';
import type { SendMessage } from './send.ts';

/** The calls of a script that wait for the agent. */
export interface Calls {
  /** Sends a call. The promise settles with the agent's answer. */
  ask(name: string, targetMember: string, options: unknown): Promise<unknown>;
  /** Settles the promise of a call by its answer (`{"id", "value"}` or `{"id", "error"}`). */
  deliver(line: string): void;
  /** The number of calls without an answer. */
  pending(): number;
}

/** Creates the calls of one script. Runs inside the sandbox (see source.ts). */
export function createCalls(natives: Natives, failures: Failures, send: SendMessage): Calls {
  const { NativePromise, NativeTypeError, create, hasOwn, isArray, parse, stringify } = natives;
  interface PendingCall {
    /** The line of the script that called. */
    readonly line: number | undefined;
    resolve(value: unknown): void;
    reject(error: unknown): void;
  }
  interface CallAnswer {
    readonly id: number;
    readonly value?: unknown;
    readonly error?: Omit<FailureFacts, 'line'> & { readonly facts?: Readonly<Record<string, unknown>> };
  }
  const waiting: Record<number, PendingCall | undefined> = create(null);
  let last = 0;
  let open = 0;
  return {
    ask(name, targetMember, options) {
      return new NativePromise((resolve, reject) => {
        if (typeof options !== 'object' || options === null || isArray(options))
          throw new NativeTypeError(`${name}() takes one object: ${name}({ ${targetMember}: … })`);
        last += 1;
        const id = last;
        const line = failures.currentLine();
        // Whatever a toJSON of the object returns, the agent reads it as options only.
        const json = stringify(options);
        waiting[id] = { line, resolve, reject };
        open += 1;
        send('call', id, name, line, json);
      });
    },
    deliver(line) {
      const answer: CallAnswer = parse(line);
      const call = waiting[answer.id];
      if (!call) return;
      waiting[answer.id] = undefined;
      open -= 1;
      const error = hasOwn(answer, 'error') ? answer.error : undefined;
      if (error) {
        const { how, text, code } = error;
        const facts = { how, text, code, line: call.line };
        call.reject(failures.failure('CheckError', facts, { code, ...error.facts }));
      } else call.resolve(answer.value);
    },
    pending: () => open,
  };
}
