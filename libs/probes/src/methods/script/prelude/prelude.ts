import type { GuestStart } from '../guest-messages.ts';
import { type Calls, createCalls } from './calls.ts';
import { createFailures } from './failures.ts';
import { createLocalFunctions } from './local-functions.ts';
import { takeNatives } from './natives.ts';
import type { SendMessage } from './send.ts';

/** The prelude's interface for the guest process. Only texts and numbers pass it. */
export interface Bridge extends Pick<Calls, 'deliver' | 'pending'> {
  /** Reads the agent's first line, defines the functions of the script and returns its text. */
  begin(line: string): string;
  /** Sends why a script ended, from the error that it threw. */
  describe(error: unknown): void;
}

/** Defines the functions of a script; `send` is the only way out of the sandbox. Runs inside it (see source.ts). */
export function prelude(send: SendMessage): Bridge {
  const natives = takeNatives();
  const { defineProperty, freeze, hasOwn, keys, parse } = natives;
  const failures = createFailures(natives, send);
  const calls = createCalls(natives, failures, send);
  let secrets: GuestStart['secrets'] = {};
  const secretOf = (name: string) => (hasOwn(secrets, name) ? secrets[name] : undefined);
  const localFunctions = createLocalFunctions({ natives, failures, calls, send, secretOf });

  function define(name: string, value: (...values: unknown[]) => unknown): void {
    defineProperty(globalThis, name, freeze(value), true);
  }

  return {
    begin(line) {
      const start: GuestStart = parse(line);
      secrets = start.secrets;
      for (const name of keys(start.functions)) {
        const targetMember = start.functions[name] ?? '';
        define(name, (options) => calls.ask(name, targetMember, options));
      }
      for (const name of keys(localFunctions)) {
        const value = localFunctions[name];
        if (value) define(name, value);
      }
      return start.script;
    },
    deliver: (line) => calls.deliver(line),
    pending: () => calls.pending(),
    describe: (error) => failures.end(error),
  };
}
