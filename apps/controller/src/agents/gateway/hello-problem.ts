import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { type Hello, HelloSchema } from '@vantage/proto';
import { isBigint, isText, toBigint, toReal, toText } from '@vantage/storage';

/** Texts of a Hello and of a heartbeat, UTF-16 units. */
const maxTextLength = 100;

/**
 * Why the controller refuses a Hello, with the wire's name of the field; undefined when it accepts it. Checks every
 * field of the wire, so that a new field is bounded before any code reads it. Pure.
 */
export function helloProblem(hello: Hello): string | undefined {
  return scalarsOf(HelloSchema, hello)
    .map(({ field, value }) => problemOf(field.name, value))
    .find((problem) => problem !== undefined);
}

export function scalarsOf<D extends DescMessage>(schema: D, message: MessageShape<D>) {
  const source = reflect(schema, message);
  return schema.fields.flatMap((field) =>
    field.fieldKind === 'scalar' ? [{ field, value: source.get(field) }] : [],
  );
}

function problemOf(name: string, value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return isText(value, maxTextLength)
        ? undefined
        : `${name} must be a text of at most ${maxTextLength} characters without NUL`;
    case 'bigint':
      return isBigint(value) ? undefined : `${name} must be below 2^53`;
    case 'number':
      return toReal(value) === value ? undefined : `${name} must be a number that 32 bits hold`;
    default:
      return undefined;
  }
}

export function nearest(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return toText(value, maxTextLength);
    case 'bigint':
      return BigInt(toBigint(value));
    case 'number':
      return toReal(value);
    default:
      return value;
  }
}
