/** The natives that the prelude uses, taken before a script can change them. */
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
  readonly NativeError: ErrorConstructor;
  readonly NativeTypeError: TypeErrorConstructor;
  readonly NativePromise: PromiseConstructor;
  /** Defines a property that cannot be written. */
  readonly defineProperty: (object: object, name: string, value: unknown, enumerable: boolean) => void;
  /** The first 32 Ki characters of a text. */
  readonly shorten: (value: string) => string;
  /** The number of the script's line that the text of a stack names. */
  readonly findLine: (stack: string) => string | undefined;
}

/** Takes the natives. Runs inside the sandbox (see source.ts). */
export function takeNatives(): Natives {
  const { parse, stringify } = JSON;
  const { defineProperty: define, freeze, create, hasOwn, keys } = Object;
  const place = /script\.js:(\d+)/;
  const findPlace = place.exec.bind(place);
  const head = /^[\s\S]{0,32768}/;
  const findHead = head.exec.bind(head);
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
    NativeError: Error,
    NativeTypeError: TypeError,
    NativePromise: Promise,
    defineProperty(object, name, value, enumerable) {
      // A script may have put `get` or `writable` into the prototype that a plain descriptor inherits from.
      const descriptor: PropertyDescriptor = create(null);
      descriptor.value = value;
      descriptor.enumerable = enumerable;
      define(object, name, descriptor);
    },
    shorten: (value) => findHead(value)?.[0] ?? '',
    findLine: (stack) => findPlace(stack)?.[1],
  };
}
