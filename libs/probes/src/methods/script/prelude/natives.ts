/** The native functions that the prelude uses, saved before a script can change them. */
export interface Natives {
  readonly parse: typeof JSON.parse;
  readonly stringify: typeof JSON.stringify;
  readonly create: typeof Object.create;
  readonly freeze: typeof Object.freeze;
  readonly hasOwn: typeof Object.hasOwn;
  readonly keys: typeof Object.keys;
  readonly isArray: typeof Array.isArray;
  readonly toNumber: NumberConstructor;
  readonly toText: StringConstructor;
  readonly isFiniteNumber: typeof Number.isFinite;
  readonly NativeError: ErrorConstructor;
  readonly NativeTypeError: TypeErrorConstructor;
  readonly NativePromise: PromiseConstructor;
  /** Defines a read-only property. */
  readonly defineProperty: (object: object, name: string, value: unknown, enumerable: boolean) => void;
  /** The first 32 Ki characters of a text. */
  readonly shorten: (value: string) => string;
  /** Whether a text is one line of at most this many characters. */
  readonly isLine: (text: string, maxLength: number) => boolean;
  /** The line of the script in the text of a stack. */
  readonly findLine: (stack: string) => string | undefined;
}

/** Saves the native functions. Runs inside the sandbox (see source.ts). */
export function takeNatives(): Natives {
  const { parse, stringify } = JSON;
  const { defineProperty: define, freeze, create, hasOwn, keys } = Object;
  const position = /script\.js:(\d+)/;
  const findPosition = position.exec.bind(position);
  const start = /^[\s\S]{0,32768}/;
  const findStart = start.exec.bind(start);
  const control = /[\p{Cc}\u2028\u2029]/u;
  const findControl = control.exec.bind(control);
  return {
    parse,
    stringify,
    create,
    freeze,
    hasOwn,
    keys,
    isArray: Array.isArray,
    toNumber: Number,
    toText: String,
    isFiniteNumber: Number.isFinite,
    NativeError: Error,
    NativeTypeError: TypeError,
    NativePromise: Promise,
    defineProperty(object, name, value, enumerable) {
      // A script may have added `get` or `writable` to the prototype of a plain descriptor.
      const descriptor: PropertyDescriptor = create(null);
      descriptor.value = value;
      descriptor.enumerable = enumerable;
      define(object, name, descriptor);
    },
    shorten: (value) => findStart(value)?.[0] ?? '',
    isLine: (text, maxLength) => text.length <= maxLength && findControl(text) === null,
    findLine: (stack) => findPosition(stack)?.[1],
  };
}
