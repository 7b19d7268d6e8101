import type { Calls } from './calls.ts';
import type { Failures } from './failures.ts';
import type { Natives } from './natives.ts';
import type { SendMessage } from './send.ts';

/** The functions of a script that run no check: sleep, expect, log, value, secret and step. */
export type LocalFunctions = Readonly<Record<string, (...values: unknown[]) => unknown>>;

/** Creates these functions. Runs inside the sandbox (see source.ts). */
export function createLocalFunctions(deps: {
  readonly natives: Natives;
  readonly failures: Failures;
  readonly calls: Calls;
  readonly send: SendMessage;
  /** The value of a secret; undefined for a name without one. */
  readonly secretOf: (name: string) => string | undefined;
}): LocalFunctions {
  const { natives, failures, calls, send, secretOf } = deps;
  const { NativeError, NativePromise, NativeTypeError, isFiniteNumber, isLine, shorten, stringify, toText } =
    natives;
  let lastStep = 0;

  function textOf(value: unknown): string {
    if (typeof value === 'string') return value;
    if (value instanceof NativeError) return toText(value);
    try {
      return stringify(value) ?? toText(value);
    } catch {
      return toText(value);
    }
  }

  return {
    async sleep(ms) {
      await calls.ask('sleep', 'ms', { ms });
    },
    expect(condition, description) {
      if (condition instanceof NativePromise)
        throw new NativeTypeError('expect() was given a promise: await it first');
      if (condition) return;
      const text = description === undefined ? 'an expectation was not met' : shorten(toText(description));
      send('expect', text);
      const facts = { how: 'expect', text, code: undefined, line: failures.currentLine() } as const;
      throw failures.failure('ExpectError', facts, {});
    },
    log(...values) {
      let shown = '';
      // With an index and as one text, because the script may have changed the prototype of arrays.
      for (let n = 0; n < values.length; n += 1) shown += `${n === 0 ? '' : ' '}${textOf(values[n])}`;
      send('log', shorten(shown));
    },
    value(label, number, unit) {
      const name = toText(label);
      const unitText = unit === undefined ? '' : toText(unit);
      if (name === '' || !isLine(name, 100))
        throw new NativeTypeError('value(label, number, unit): a label is one line of 1 to 100 characters');
      if (typeof number !== 'number' || !isFiniteNumber(number))
        throw new NativeTypeError(`value(${stringify(name)}, …) takes a finite number`);
      if (!isLine(unitText, 20))
        throw new NativeTypeError('value(label, number, unit): a unit is one line of at most 20 characters');
      send('value', name, number, unitText);
    },
    secret(name) {
      const key = toText(name);
      const value = secretOf(key);
      if (value === undefined) throw new NativeError(`there is no secret named ${key}`);
      return value;
    },
    async step(name, action) {
      lastStep += 1;
      const id = lastStep;
      send('step', id, shorten(toText(name)), action === undefined ? 'section' : 'open');
      if (action === undefined) return undefined;
      if (typeof action !== 'function')
        throw new NativeTypeError('step(name, action): the action is no function');
      try {
        const value: unknown = await action();
        send('step', id, '', 'ok');
        return value;
      } catch (error) {
        send('step', id, '', 'failed');
        throw error;
      }
    },
  };
}
