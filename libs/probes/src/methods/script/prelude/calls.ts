import type { FailureFacts, Failures } from './failures.ts';
import type { Natives } from './natives.ts';
import type { Send } from './send.ts';

/** The calls of a script that wait for the agent. */
export interface Calls {
  /** Sends a call. Its promise settles with the agent's answer. */
  ask(name: string, targetMember: string, options: unknown): Promise<unknown>;
  /** Takes an answer (`{"id", "value"}` or `{"id", "error"}`) and settles the promise of its call. */
  deliver(line: string): void;
  /** How many calls have no answer yet. */
  pending(): number;
}

/** Creates the calls of one script. Runs inside the sandbox (see source.ts). */
export function createCalls(natives: Natives, failures: Failures, send: Send): Calls {
  const { NativePromise, NativeTypeError, create, hasOwn, isArray, parse, stringify } = natives;
  interface Waiting {
    /** The line of the script that called. */
    readonly line: number | undefined;
    resolve(value: unknown): void;
    reject(error: unknown): void;
  }
  interface Answer {
    readonly id: number;
    readonly value?: unknown;
    readonly error?: Omit<FailureFacts, 'line'> & { readonly facts?: Readonly<Record<string, unknown>> };
  }
  const waiting: Record<number, Waiting | undefined> = create(null);
  let last = 0;
  let open = 0;
  return {
    ask(name, targetMember, options) {
      return new NativePromise((resolve, reject) => {
        if (typeof options !== 'object' || options === null || isArray(options))
          throw new NativeTypeError(`${name}() takes one object: ${name}({ ${targetMember}: … })`);
        last += 1;
        const id = last;
        const line = failures.here();
        // An object may have a toJSON of its own: the agent reads whatever it returns as options and as nothing else.
        const given = stringify(options);
        waiting[id] = { line, resolve, reject };
        open += 1;
        send('call', id, name, line, given);
      });
    },
    deliver(line) {
      const answer: Answer = parse(line);
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
