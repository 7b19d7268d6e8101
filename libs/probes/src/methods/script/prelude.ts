/** What the guest process gets back from the prelude: the two ways into the script's world, all in texts. */
export interface Bridge {
  /** Takes the agent's first line (`{"script", "secrets"}`) and returns the script's text. */
  begin(line: string): string;
  /** Takes an answer (`{"id", "value"}` or `{"id", "error"}`) and settles the promise that waits for it. */
  deliver(line: string): void;
  /** How many answers the script still waits for. */
  pending(): number;
  /** Sends why a script ended, from what it threw. */
  describe(error: unknown): void;
}

/** What the prelude sends are texts and numbers only: the kind of message, then its parts in the order that `sent-line.ts` knows. */
export type Send = (
  kind: 'call' | 'step' | 'log' | 'expect' | 'end',
  ...parts: (string | number | undefined)[]
) => void;

/**
 * Gives a script its functions. Runs INSIDE the sandbox's JavaScript, as its own source text (`prelude.toString()`), so it may use
 * nothing from outside its braces. Its only way out is `send`; the messages themselves are made outside, where the script's prototypes
 * have no say. What it needs of the language is taken before the script can touch it, and nothing it reads or writes is inherited.
 */
export function prelude(send: Send): Bridge {
  interface Waiting {
    /** Where in the script it was asked. */
    line: number | undefined;
    resolve(value: unknown): void;
    reject(error: unknown): void;
  }
  interface Told {
    how: 'expect' | 'check' | 'error';
    text: string;
    code: number | undefined;
    line: number | undefined;
  }
  const { parse, stringify } = JSON;
  const { defineProperty: define, freeze, create, hasOwn, keys } = Object;
  const told = new WeakMap<object, Told>();
  const tell = WeakMap.prototype.set.bind(told);
  const toldOf = WeakMap.prototype.get.bind(told);
  const place = /script\.js:(\d+)/;
  const findPlace = place.exec.bind(place);
  const { isArray } = Array;
  const OwnError = Error;
  const OwnTypeError = TypeError;
  const OwnPromise = Promise;
  const toNumber = Number;
  const text = String;
  const head = /^[\s\S]{0,32768}/;
  const findHead = head.exec.bind(head);
  const short = (value: string): string => findHead(value)?.[0] ?? '';

  /** A script may have put `get` or `writable` into the prototype that a plain descriptor inherits from. */
  function defineProperty(object: object, name: string, value: unknown, enumerable: boolean): void {
    const descriptor: PropertyDescriptor = create(null);
    descriptor.value = value;
    descriptor.enumerable = enumerable;
    define(object, name, descriptor);
  }

  const waiting: Record<number, Waiting | undefined> = create(null);
  let secrets: Record<string, string> = create(null);
  let last = 0;
  let open = 0;

  function lineOf(error: object): number | undefined {
    const found = 'stack' in error ? findPlace(text(error.stack)) : null;
    return found ? toNumber(found[1]) : undefined;
  }

  /** The line of the script that runs now. */
  function here(): number | undefined {
    return lineOf(new OwnError('here'));
  }

  function failure(name: string, what: Told, facts: Readonly<Record<string, unknown>>): Error {
    const error = new OwnError(what.text);
    defineProperty(error, 'name', name, false);
    const names = keys(facts);
    // By number: the script may have spoilt the iteration of arrays.
    for (let n = 0; n < names.length; n += 1) {
      const key = names[n];
      if (key !== undefined && key !== 'stack' && key !== 'message')
        defineProperty(error, key, facts[key], true);
    }
    tell(error, what);
    return error;
  }

  function ask(name: string, options: unknown): Promise<unknown> {
    return new OwnPromise((resolve, reject) => {
      if (typeof options !== 'object' || options === null || isArray(options)) {
        const like = name === 'http' ? 'url' : name === 'dns' ? 'name' : 'host';
        throw new OwnTypeError(`${name}() takes one object: ${name}({ ${like}: … })`);
      }
      last += 1;
      const id = last;
      const line = here();
      // What an object's own toJSON makes of it is its own affair: it is read as options and as nothing else.
      const given = stringify(options);
      waiting[id] = { line, resolve, reject };
      open += 1;
      send('call', id, name, line, given);
    });
  }

  function offer(name: string, value: unknown): void {
    defineProperty(globalThis, name, freeze(value), true);
  }

  for (const name of [
    'http',
    'tcp',
    'tls',
    'dns',
    'ping',
    'smtp',
    'pop3',
    'imap',
    'ftp',
    'telnet',
    'nntp',
    'ssh',
    'mysql',
  ]) {
    offer(name, (options: unknown) => ask(name, options));
  }

  offer('sleep', async (ms: unknown) => {
    await ask('sleep', { ms });
  });

  offer('expect', (condition: unknown, description?: unknown) => {
    if (condition instanceof OwnPromise)
      throw new OwnTypeError('expect() was given a promise: await it first');
    if (condition) return;
    const what = description === undefined ? 'an expectation was not met' : short(text(description));
    send('expect', what);
    throw failure('ExpectError', { how: 'expect', text: what, code: undefined, line: here() }, {});
  });

  function textOf(value: unknown): string {
    if (typeof value === 'string') return value;
    if (value instanceof OwnError) return text(value);
    try {
      return stringify(value) ?? text(value);
    } catch {
      return text(value);
    }
  }

  offer('log', (...values: unknown[]) => {
    let shown = '';
    // By number and as one text: the script may have spoilt what arrays inherit.
    for (let n = 0; n < values.length; n += 1) shown += `${n === 0 ? '' : ' '}${textOf(values[n])}`;
    send('log', short(shown));
  });

  offer('secret', (name: unknown) => {
    const key = text(name);
    if (!hasOwn(secrets, key)) throw new OwnError(`there is no secret named ${key}`);
    return secrets[key];
  });

  offer('step', async (name: unknown, action?: unknown) => {
    last += 1;
    const id = last;
    const state = action === undefined ? 'section' : 'open';
    send('step', id, short(text(name)), state);
    if (action === undefined) return undefined;
    if (typeof action !== 'function') throw new OwnTypeError('step(name, action): the action is no function');
    try {
      const value: unknown = await action();
      send('step', id, '', 'ok');
      return value;
    } catch (error) {
      send('step', id, '', 'failed');
      throw error;
    }
  });

  return {
    begin(line) {
      const given: { script: string; secrets: Record<string, string> } = parse(line);
      secrets = given.secrets;
      return given.script;
    },
    deliver(line) {
      const answer: {
        id: number;
        value?: unknown;
        error?: Omit<Told, 'line'> & { facts?: Record<string, unknown> };
      } = parse(line);
      const who = waiting[answer.id];
      if (!who) return;
      waiting[answer.id] = undefined;
      open -= 1;
      const error = hasOwn(answer, 'error') ? answer.error : undefined;
      if (error) {
        const { how, text: what, code } = error;
        who.reject(
          failure('CheckError', { how, text: what, code, line: who.line }, { code, ...error.facts }),
        );
      } else who.resolve(answer.value);
    },
    pending: () => open,
    describe(error) {
      try {
        // QuickJS throws a bare null when there is no memory left for an error.
        if (error === null) {
          send('end', 'memory', '');
          return;
        }
        const object = typeof error === 'object' ? error : undefined;
        const known = object && toldOf(object);
        if (known) {
          send('end', known.how, known.text, known.code, known.line);
          return;
        }
        const at = object && lineOf(object);
        const where = at === undefined ? '' : ` (line ${text(at)})`;
        const bare = object === undefined && typeof error !== 'string' ? 'the script threw ' : '';
        send('end', 'error', `${bare}${short(text(error))}${where}`, undefined, at);
      } catch {
        send('end', 'error', 'the script threw something that has no text');
      }
    },
  };
}
