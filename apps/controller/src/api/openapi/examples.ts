import { type OpenApiSchema, type OpenApiSchemas, schemaPath } from './openapi-schema.ts';

/**
 * Creates an example of a schema from the examples of its parts; `sent`: as a request, without what only answers hold.
 */
export function createExampleMaker(schemas: OpenApiSchemas) {
  const objectOf = ({ properties = {} }: OpenApiSchema, sent: boolean): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(properties)
        .filter(([, part]) => part['not'] === undefined && !(sent && part['readOnly'] === true))
        .map(([name, part]) => [name, exampleOf(part, sent)]),
    );

  const exampleOf = (schema: OpenApiSchema, sent: boolean): unknown => {
    const { $ref, examples, anyOf, oneOf, allOf, items, type } = schema;
    if (examples !== undefined) return examples[0];
    if ($ref !== undefined) return exampleOf(schemas[$ref.slice(schemaPath.length)] ?? {}, sent);
    if (schema.enum !== undefined) return schema.enum[0];
    const [choice] = oneOf ?? anyOf ?? [];
    if (choice !== undefined) return exampleOf(choice, sent);
    if (allOf !== undefined) return Object.assign({}, ...allOf.map((part) => exampleOf(part, sent)));
    if (items !== undefined) return [exampleOf(items, sent)];
    if (type === 'boolean') return true;
    if (type === 'string') return 'text';
    if (type === 'integer' || type === 'number') return schema['minimum'] ?? 1;
    return type === 'object' ? objectOf(schema, sent) : undefined;
  };
  return exampleOf;
}
