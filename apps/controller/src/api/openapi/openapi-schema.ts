import { z } from 'zod';

/** Texts of the document about a field that its schema lacks. */
export interface SchemaFact {
  readonly text?: string | undefined;
  readonly example?: unknown;
  readonly format?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
}

/** A JSON schema (draft 2020-12), as far as the document uses it. */
export interface OpenApiSchema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly examples?: readonly unknown[] | undefined;
  /** Of a field of a table (`resources/field-table.ts`); it does not appear in the document. */
  readonly fact?: SchemaFact | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly properties?: OpenApiSchemas | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: boolean | OpenApiSchema | undefined;
  readonly items?: OpenApiSchema | undefined;
  readonly anyOf?: readonly OpenApiSchema[] | undefined;
  readonly oneOf?: readonly OpenApiSchema[] | undefined;
  readonly allOf?: readonly OpenApiSchema[] | undefined;
}

/** Schemas by their names. */
export type OpenApiSchemas = Readonly<Record<string, OpenApiSchema>>;

const list = z.lazy(() => z.array(schemaShape)).optional();
const schemaShape: z.ZodType<OpenApiSchema> = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  examples: z.array(z.unknown()).optional(),
  enum: z.array(z.unknown()).optional(),
  fact: z
    .object({ text: z.string(), example: z.unknown(), enum: z.array(z.unknown()).optional() })
    .optional(),
  properties: z.lazy(() => z.record(z.string(), schemaShape)).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.lazy(() => z.union([z.boolean(), schemaShape])).optional(),
  items: z.lazy(() => schemaShape).optional(),
  anyOf: list,
  oneOf: list,
  allOf: list,
});

/** Reads a schema of plain JSON. */
export function readSchema(value: unknown): OpenApiSchema {
  return schemaShape.parse(JSON.parse(JSON.stringify(value)));
}

/** The names of schemas that a reference may give. */
export const schemaPath = '#/components/schemas/';

/** A reference to a schema of the document. */
export function refTo(name: string): OpenApiSchema {
  return { $ref: `${schemaPath}${name}` };
}

/** The position of a schema: the named schema, and the property. */
export interface SchemaPosition {
  readonly component: string;
  readonly property: string | undefined;
}

/** Changes a schema and all schemas inside, the inner ones first. */
export function mapSchema(
  schema: OpenApiSchema,
  change: (schema: OpenApiSchema, position: SchemaPosition) => OpenApiSchema,
  position: SchemaPosition,
): OpenApiSchema {
  // A member of a list, map or union is no property: it has no name of its own.
  const { component } = position;
  const inner = (part: OpenApiSchema, property?: string) => mapSchema(part, change, { component, property });
  const all = (parts: readonly OpenApiSchema[] | undefined) => parts?.map((part) => inner(part));
  const { properties, items, additionalProperties, anyOf, oneOf, allOf } = schema;
  const parts = {
    properties: properties && mapValues(properties, inner),
    items: items && inner(items),
    additionalProperties:
      typeof additionalProperties === 'object' ? inner(additionalProperties) : additionalProperties,
    anyOf: all(anyOf),
    oneOf: all(oneOf),
    allOf: all(allOf),
  };
  const known = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
  return change({ ...schema, ...known }, position);
}

/**
 * A schema with its default in the description. A default in the schema would become a required field of generated
 * types, and a later version may have another default.
 */
export function defaultInText({ default: value, ...schema }: OpenApiSchema): OpenApiSchema {
  const text = schema.description ?? '';
  const isSaid = value === undefined || typeof value === 'object' || /default/i.test(text);
  const description = isSaid ? text : `${text} Default: ${JSON.stringify(value)}.`.trimStart();
  return description === '' ? schema : { ...schema, description };
}

/** A record with each value changed. */
export function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
