/** An operation of the OpenAPI document, with the fields that a client may set in its body. */
export interface Operation {
  /** Method and path, for example `PUT /tags/{tag_id}`. */
  readonly name: string;
  readonly summary: string;
  /** Paths of the writable fields, for example `Steps.Days`; an item of a list has no step of its own. */
  readonly fields: readonly string[];
}

interface Schema {
  readonly $ref?: string;
  readonly readOnly?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface ApiOperation {
  readonly summary: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The operations in the order of the document. */
export function operationsOf(document: ApiDocument): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, requestBody }]) => {
      const bodies = Object.values(requestBody?.content ?? {});
      const fields = bodies.flatMap(({ schema }) => writableFields(schema, document, ''));
      return { name: `${method.toUpperCase()} ${path}`, summary, fields: [...new Set(fields)] };
    }),
  );
}

function writableFields(given: Schema, document: ApiDocument, prefix: string): readonly string[] {
  const schema = resolve(given, document);
  const { items, allOf = [], anyOf = [], oneOf = [], properties = {} } = schema;
  const inner = [...(items === undefined ? [] : [items]), ...allOf, ...anyOf, ...oneOf];
  return [
    ...inner.flatMap((part) => writableFields(part, document, prefix)),
    ...Object.entries(properties).flatMap(([name, field]) =>
      field.readOnly === true || resolve(field, document).readOnly === true
        ? []
        : [`${prefix}${name}`, ...writableFields(field, document, `${prefix}${name}.`)],
    ),
  ];
}

function resolve(schema: Schema, document: ApiDocument): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return (name === undefined ? undefined : document.components.schemas[name]) ?? schema;
}
