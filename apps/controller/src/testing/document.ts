import type { Route } from '@vantage/rest-kit/route';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import type { Reply } from './http-client.ts';

const json = z.record(z.string(), z.unknown());
const content = z.record(z.string(), z.looseObject({ schema: json }));
const response = z.looseObject({
  $ref: z.string().optional(),
  headers: z.record(z.string(), z.looseObject({ required: z.boolean().optional() })).optional(),
  content: content.optional(),
});
/** Headers that belong to HTTP itself; the document describes all others. */
const plainHeaders = [
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
];
const parameter = z.looseObject({
  required: z.boolean().optional(),
  name: z.string(),
  in: z.enum(['query', 'path', 'header']),
  schema: json,
});
const operation = z.looseObject({
  operationId: z.string(),
  description: z.string().optional(),
  parameters: z.array(parameter).default([]),
  requestBody: z.object({ required: z.boolean(), content }).optional(),
  responses: z.record(z.string(), response),
});
const documentShape = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({
    schemas: z.record(z.string(), json),
    responses: z.record(z.string(), response),
  }),
});

type Operation = z.output<typeof operation>;

/** The document as a test reads it. */
export interface DocumentReader {
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  operationOf(route: Pick<Route, 'method' | 'path'>): Operation;
  /** The faults of a value by a named schema; empty when it has none. */
  faultOf(schema: string, value: unknown): string;
  /** The part of the answer that the document does not allow; empty when it agrees. */
  disagreement(route: Pick<Route, 'method' | 'path'>, reply: Reply): string;
  /** Examples that their schema does not allow. */
  wrongExamples(): readonly string[];
  /** The example of a failure of this status. */
  exampleOf(status: string): unknown;
  /** Places without a description or an example. */
  undescribed(): readonly string[];
  /** Reads a JSON object. */
  record(value: unknown): Readonly<Record<string, unknown>>;
}

/** Reads an OpenAPI document and compares answers with it. */
export function createDocumentReader(value: unknown): DocumentReader {
  const document = documentShape.parse(value);
  const { schemas, responses } = document.components;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  const faultsBy = (schema: object, sent: unknown): string => {
    const name = JSON.stringify(schema);
    const validate = compiled.get(name) ?? ajv.compile({ ...schema, components: { schemas } });
    compiled.set(name, validate);
    return validate(sent) ? '' : ajv.errorsText(validate.errors);
  };
  const operationOf: DocumentReader['operationOf'] = ({ method, path }) => {
    const found = document.paths[path]?.[method.toLowerCase()];
    if (found === undefined) throw new Error(`${method} ${path} is not in the document`);
    return found;
  };
  /** By a schema at a place of the document; the document is compiled once for all of them. */
  const faultsAt = (pointer: string, sent: unknown): string => {
    if (ajv.getSchema('document') === undefined) ajv.addSchema(document, 'document');
    const validate = ajv.getSchema(`document${encodeURI(pointer)}`);
    if (validate === undefined) throw new Error(`${pointer} is not in the document`);
    return validate(sent) ? '' : ajv.errorsText(validate.errors);
  };
  /** Each example below this value with its place, and the faults that it has by the schema beside it. */
  const shownIn = (place: string, value: unknown): [string, string][] => {
    if (Array.isArray(value)) return value.flatMap((part, at) => shownIn(`${place}/${at}`, part));
    const { data: parts } = json.safeParse(value);
    if (parts === undefined) return [];
    const { data: schema } = json.safeParse(parts['schema']);
    const own: [string, string][] =
      schema === undefined || parts['example'] === undefined
        ? []
        : [[place, faultsAt(`${place}/schema`, parts['example'])]];
    return [
      ...own,
      ...Object.entries(parts).flatMap(([name, part]) =>
        shownIn(`${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, part),
      ),
    ];
  };
  return {
    operations: Object.values(document.paths).flatMap((path) => Object.values(path)),
    schemas,
    operationOf,
    faultOf: (name, sent) => faultsBy({ $ref: `#/components/schemas/${name}` }, sent),
    disagreement: (route, reply) => {
      const type = (reply.headers.get('content-type') ?? '').split(';')[0] ?? '';
      const where = `${route.method} ${route.path}: ${reply.status} ${type}`;
      const answer = operationOf(route).responses[String(reply.status)];
      const named = answer?.$ref === undefined ? answer : responses[answer.$ref.split('/').at(-1) ?? ''];
      const headers = headerGaps(named?.headers ?? {}, reply.headers);
      if (headers.length > 0) return `${where}: headers ${headers.join(', ')}`;
      if (named !== undefined && named.content === undefined && reply.text === '') return '';
      const described = named?.content?.[type];
      if (described === undefined) return `${where} is not described`;
      const faults = faultsBy(described.schema, type === 'application/json' ? reply.json : reply.text);
      return faults === '' ? '' : `${where}: ${faults} in ${reply.text}`;
    },
    wrongExamples: () =>
      [
        ...Object.entries(schemas).flatMap(([name, { examples }]) =>
          z
            .array(z.unknown())
            .catch([])
            .parse(examples)
            .map((example) => [name, faultsAt(`#/components/schemas/${name}`, example)]),
        ),
        ...shownIn('#/components/responses', responses),
        ...shownIn('#/paths', document.paths),
      ]
        .filter(([, faults]) => faults !== '')
        .map((parts) => parts.join(': ')),
    exampleOf: (status) => {
      const { $ref = '' } = operationOf({ method: 'GET', path: '/devices' }).responses[status] ?? {};
      return responses[$ref.split('/').at(-1) ?? '']?.content?.['application/json']?.['example'];
    },
    undescribed: () => [
      ...Object.entries(schemas).flatMap(([name, schema]) => schemaGaps(name, schema)),
      ...Object.values(document.paths).flatMap((path) => Object.values(path).flatMap(operationGaps)),
    ],
    record: (sent) => json.parse(sent),
  };
}

/** Headers that came undescribed, and described ones that did not come. */
function headerGaps(
  described: Readonly<Record<string, { readonly required?: boolean | undefined }>>,
  came: Headers,
): string[] {
  const names = Object.keys(described).map((name) => name.toLowerCase());
  return [
    ...[...came.keys()].filter((name) => !plainHeaders.includes(name) && !names.includes(name)),
    ...Object.entries(described).flatMap(([name, { required }]) =>
      required === true && !came.has(name) ? [`no ${name}`] : [],
    ),
  ];
}

function operationGaps({ operationId, description, parameters, responses }: Operation): string[] {
  const answer = responses['200']?.content?.['application/json'];
  return [
    ...(description === undefined || description.length < 20 ? [operationId] : []),
    ...(answer !== undefined && answer['example'] === undefined ? [`${operationId}: example`] : []),
    ...parameters
      .filter(
        (given) =>
          given['example'] === undefined || !isText(given['description'] ?? given.schema['description']),
      )
      .map(({ name }) => `${operationId}: ${name}`),
  ];
}

/** The schema and its properties that lack a description or an example; a reference has those of its target. */
function schemaGaps(name: string, schema: Readonly<Record<string, unknown>>): string[] {
  const own = isText(schema['description']) ? [] : [name];
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => z.array(json).catch([]).parse(schema[key]));
  const inner = [schema, ...parts].flatMap((part) =>
    Object.entries(z.record(z.string(), z.unknown()).catch({}).parse(part['properties'])),
  );
  const hasExample = (part: Readonly<Record<string, unknown>>) =>
    json.safeParse(part['items']).data?.['$ref'] !== undefined ||
    part['$ref'] !== undefined ||
    part['examples'] !== undefined ||
    part['enum'] !== undefined;
  return [
    ...own,
    ...inner.flatMap(([property, value]) => {
      const part = json.safeParse(value).data;
      if (part === undefined || part['not'] !== undefined) return []; // the property does not exist
      const choices = z.array(json).catch([]).parse(part['anyOf']);
      const isShown =
        hasExample(part) ||
        choices.some(hasExample) ||
        part['type'] === 'boolean' ||
        part['properties'] !== undefined;
      return [
        ...(part['$ref'] === undefined ? schemaGaps(`${name}.${property}`, part) : []),
        ...(isShown ? [] : [`${name}.${property}: example`]),
      ];
    }),
  ];
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length > 3;
}
