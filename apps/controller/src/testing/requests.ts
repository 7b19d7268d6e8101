import { anyCharacter } from '@vantage/kernel/testing';
import fc from 'fast-check';
import {
  type OpenApiSchema,
  type OpenApiSchemas,
  readSchema,
  schemaPath,
} from '../api/openapi/openapi-schema.ts';

/**
 * Creates arbitrary values of a document's schemas: mostly what they allow, with texts of any kind where no pattern is
 * given.
 */
function createValueMaker(schemas: OpenApiSchemas): (schema: OpenApiSchema) => fc.Arbitrary<unknown> {
  const objectOf = ({ properties = {}, required = [], additionalProperties }: OpenApiSchema) => {
    const parts = Object.entries(properties).filter(([, part]) => isPossible(part));
    const known = fc.record(Object.fromEntries(parts.map(([name, part]) => [name, arbitraryOf(part)])), {
      requiredKeys: required.filter((name) => parts.some(([part]) => part === name)),
    });
    if (typeof additionalProperties !== 'object') return known;
    return fc.dictionary(fc.stringMatching(/^[A-Za-z-]{1,9}$/), arbitraryOf(additionalProperties), {
      maxKeys: 3,
    });
  };

  const arbitraryOf = (schema: OpenApiSchema): fc.Arbitrary<unknown> => {
    const { $ref, anyOf, oneOf, allOf, items, type, enum: members } = schema;
    if ($ref !== undefined) return arbitraryOf(schemas[$ref.slice(schemaPath.length)] ?? {});
    if (members !== undefined) return fc.constantFrom(...members);
    const choices = oneOf ?? anyOf;
    if (choices !== undefined) return fc.oneof(...choices.map(arbitraryOf));
    if (allOf !== undefined && type === undefined)
      return fc.tuple(...allOf.map(arbitraryOf)).map((parts): unknown => Object.assign({}, ...parts));
    switch (type) {
      case 'object':
        return objectOf(schema);
      case 'array':
        return fc.array(arbitraryOf(items ?? {}), { maxLength: 3 });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'integer':
        return fc.integer(boundsOf(schema));
      case 'number':
        return fc.double({ ...boundsOf(schema), noNaN: true });
      default:
        return textOf(schema);
    }
  };
  return arbitraryOf;
}

/** `false` is the schema of what does not exist. */
function isPossible(schema: unknown): boolean {
  return typeof schema === 'object';
}

function boundsOf({ minimum, maximum }: OpenApiSchema): { min: number; max: number } {
  return {
    min: typeof minimum === 'number' ? minimum : -1000,
    max: typeof maximum === 'number' ? maximum : 100_000,
  };
}

function textOf({ examples = [], minLength = 0, maxLength }: OpenApiSchema): fc.Arbitrary<unknown> {
  const most = Math.min(40, typeof maxLength === 'number' ? maxLength : 40);
  const any = fc.string({
    unit: anyCharacter,
    minLength: Math.min(Number(minLength), most),
    maxLength: most,
  });
  const text = any.map((made) => made.toWellFormed());
  return examples.length === 0 ? text : fc.oneof(fc.constantFrom(...examples), text);
}

/** A request that the document describes. `ids` fills the path's placeholders. */
export interface MadeRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/**
 * Creates requests of an operation: a known id or any text in its path, some of its parameters, and a body of its
 * schema.
 */
export function requestsOf(
  path: string,
  operation: {
    readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: unknown }[];
    readonly body: unknown;
  },
  { ids, schemas }: { readonly ids: Readonly<Record<string, string>>; readonly schemas: OpenApiSchemas },
): fc.Arbitrary<MadeRequest> {
  const arbitraryOf = createValueMaker(schemas);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const places = fc.tuple(
    ...names.map((name) =>
      fc.oneof(
        { weight: 9, arbitrary: fc.constant(ids[name] ?? '0') },
        {
          weight: 1,
          arbitrary: fc.string({ unit: anyCharacter, minLength: 1 }).map((text) => text.toWellFormed()),
        },
      ),
    ),
  );
  // A stream does not end, and other forms than JSON are described in words only.
  const asked = operation.parameters.filter(
    (given) => given.in === 'query' && !['stream', 'fmt', 'filename'].includes(given.name),
  );
  const query = fc.record(
    Object.fromEntries(asked.map(({ name, schema }) => [name, arbitraryOf(readSchema(schema))])),
    { requiredKeys: [] },
  );
  const body =
    operation.body === undefined ? fc.constant(undefined) : arbitraryOf(readSchema(operation.body));
  return fc.record({
    path: places.map((values) =>
      names.reduce((text, name, at) => text.replace(`{${name}}`, encodeURIComponent(values[at] ?? '')), path),
    ),
    query,
    body,
  });
}
