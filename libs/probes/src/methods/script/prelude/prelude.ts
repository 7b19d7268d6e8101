import type { Beginning } from '../messages.ts';
import { type Calls, createCalls } from './calls.ts';
import { createFailures } from './failures.ts';
import { takeNatives } from './natives.ts';
import { createOwnFunctions } from './own-functions.ts';
import type { Send } from './send.ts';

/** The prelude's return value for the guest process: the ways into the script's world, all in texts. */
export interface Bridge extends Pick<Calls, 'deliver' | 'pending'> {
  /** Takes the agent's first line, gives the script its functions and returns the script's text. */
  begin(line: string): string;
  /** Sends why a script ended, from the error that it threw. */
  describe(error: unknown): void;
}

/** Gives a script its functions; `send` is the only way out of the sandbox. Runs inside it (see source.ts). */
export function prelude(send: Send): Bridge {
  const natives = takeNatives();
  const { defineProperty, freeze, hasOwn, keys, parse } = natives;
  const failures = createFailures(natives, send);
  const calls = createCalls(natives, failures, send);
  let secrets: Beginning['secrets'] = {};
  const secretOf = (name: string) => (hasOwn(secrets, name) ? secrets[name] : undefined);
  const own = createOwnFunctions({ natives, failures, calls, send, secretOf });

  function offer(name: string, value: (...values: unknown[]) => unknown): void {
    defineProperty(globalThis, name, freeze(value), true);
  }

  return {
    begin(line) {
      const given: Beginning = parse(line);
      secrets = given.secrets;
      for (const name of keys(given.functions)) {
        const targetMember = given.functions[name] ?? '';
        offer(name, (options) => calls.ask(name, targetMember, options));
      }
      for (const name of keys(own)) {
        const value = own[name];
        if (value) offer(name, value);
      }
      return given.script;
    },
    deliver: (line) => calls.deliver(line),
    pending: () => calls.pending(),
    describe: (error) => failures.end(error),
  };
}
