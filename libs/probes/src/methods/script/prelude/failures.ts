import type { Natives } from './natives.ts';
import type { SendMessage } from './send.ts';

export interface FailureFacts {
  readonly how: 'expect' | 'check' | 'error';
  readonly text: string;
  readonly code: number | undefined;
  readonly line: number | undefined;
}

/** The errors of a script. */
export interface Failures {
  /** The current line of the script. */
  currentLine(): number | undefined;
  /** Creates an error with these properties. `end` recognizes it by identity, whatever the script does to it. */
  failure(name: string, facts: FailureFacts, properties: Readonly<Record<string, unknown>>): Error;
  /** Sends the cause of the end of a script: the error that it threw. */
  end(error: unknown): void;
}

/** Creates the failures of one script. Runs inside the sandbox (see source.ts). */
export function createFailures(natives: Natives, send: SendMessage): Failures {
  const { NativeError, defineProperty, findLine, keys, shorten, toNumber, toText } = natives;
  const known = new WeakMap<object, FailureFacts>();
  const remember = WeakMap.prototype.set.bind(known);
  const factsOf = WeakMap.prototype.get.bind(known);

  function lineOf(error: object): number | undefined {
    const found = 'stack' in error ? findLine(toText(error.stack)) : undefined;
    return found === undefined ? undefined : toNumber(found);
  }

  function sendEnd(error: unknown): void {
    // QuickJS throws a bare null when there is no memory left for an error.
    if (error === null) {
      send('end', 'memory', '');
      return;
    }
    const object = typeof error === 'object' ? error : undefined;
    const facts: FailureFacts | undefined = object && factsOf(object);
    if (facts) {
      send('end', facts.how, facts.text, facts.code, facts.line);
      return;
    }
    const at = object && lineOf(object);
    const where = at === undefined ? '' : ` (line ${toText(at)})`;
    const bare = object === undefined && typeof error !== 'string' ? 'the script threw ' : '';
    send('end', 'error', `${bare}${shorten(toText(error))}${where}`, undefined, at);
  }

  return {
    currentLine: () => lineOf(new NativeError('here')),
    failure(name, facts, properties) {
      const error = new NativeError(facts.text);
      defineProperty(error, 'name', name, false);
      const names = keys(properties);
      // With an index, because the script may have changed the iteration of arrays.
      for (let n = 0; n < names.length; n += 1) {
        const key = names[n];
        if (key !== undefined && key !== 'stack' && key !== 'message')
          defineProperty(error, key, properties[key], true);
      }
      remember(error, facts);
      return error;
    },
    end(error) {
      try {
        sendEnd(error);
      } catch {
        send('end', 'error', 'the script threw something that has no text');
      }
    },
  };
}
