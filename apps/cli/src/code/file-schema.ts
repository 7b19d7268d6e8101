import { type Json, methods } from '@vantage/domain';
import { z } from 'zod';
import { kindNames, kinds, type ManagedKind, required } from './managed-kinds.ts';

const schema = z.record(z.string(), z.json());
type JsonSchema = Readonly<Record<string, Json>>;
const documentShape = z.object({ components: z.object({ schemas: z.record(z.string(), schema) }) });

/** The OpenAPI schema for the creation of each kind. */
export const createSchemas: Readonly<Record<ManagedKind, string>> = {
  tag: 'TagCreate',
  contact: 'ContactCreate',
  nschedule: 'NotificationScheduleCreate',
  mschedule: 'MaintenanceScheduleCreate',
  location: 'LocationCreate',
  device: 'DeviceCreateCommon',
};
const key = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  description: 'The identity of the resource, its ExternalKey. It stays the same when anything else changes.',
};

/**
 * The JSON Schema (draft 2020-12) of the files of `vantage apply`, for editors. It is derived from the controller's
 * OpenAPI document. Pure.
 */
export function fileSchema(document: unknown): object {
  const { schemas } = documentShape.parse(document).components;
  const lists = kindNames.map((kind) => [
    kinds[kind].section,
    { type: 'array', items: entryOf(kind, schemas), description: `The ${kinds[kind].what}s.` },
  ]);
  const settings = { ...entryOf('device', schemas), required: [] };
  const withoutDefinitions = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Devices as code (vantage apply)',
    type: 'object',
    additionalProperties: false,
    properties: {
      source: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: 'The owner of the resources of the file, for example net/berlin.',
      },
      defaults: {
        type: 'object',
        description:
          'Settings of devices: of all, of a Method, or of a tag (berlin/*: of the tags below it).',
        additionalProperties: settings,
      },
      ...Object.fromEntries(lists),
    },
  };
  const text = JSON.stringify(withoutDefinitions);
  return { ...withoutDefinitions, $defs: Object.fromEntries(usedBy(text, schemas)) };
}

function entryOf(kind: ManagedKind, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { fields } = kinds[kind];
  const documented = propertiesOf(schemas[createSchemas[kind]]);
  const known = Object.keys(fields).filter(
    (name) => name in documented || name === 'Method' || name === 'Options',
  );
  const properties: Record<string, Json> = { Key: key };
  for (const name of known) properties[name] = withFileReferences(documented[name] ?? {});
  const requiredFields = Object.entries(fields).flatMap(([name, value]) =>
    value === required ? [name] : [],
  );
  const entry: JsonSchema = { type: 'object', additionalProperties: false, properties };
  // `defaults` may set every other field of a device.
  if (kind !== 'device') return { ...entry, required: ['Key', ...requiredFields] };
  properties['Method'] = { enum: [...methods], description: 'The kind of check.' };
  return { ...entry, required: ['Key'], allOf: methods.map((method) => optionsOf(method)) };
}

/** The Options of a Method, for entries with that Method. */
function optionsOf(method: string): Json {
  const options = { anyOf: [{ $ref: `#/$defs/Options${method}` }, { type: 'null' }] };
  const isMethod = { properties: { Method: { const: method } }, required: ['Method'] };
  return { anyOf: [{ not: isMethod }, { properties: { Options: options } }] };
}

function propertiesOf(objectSchema: JsonSchema | undefined): Readonly<Record<string, Json>> {
  return schema.safeParse(objectSchema?.['properties']).data ?? {};
}

/** Changes references into the OpenAPI document to references into the file's schema. */
function withFileReferences(value: Json): Json {
  return z.json().parse(JSON.parse(JSON.stringify(value).replaceAll('#/components/schemas/', '#/$defs/')));
}

/** The schemas that a text refers to, and those that they refer to. */
function usedBy(text: string, schemas: Readonly<Record<string, JsonSchema>>): Map<string, Json> {
  const found = new Map<string, Json>();
  const queue = [text];
  for (let next = queue.pop(); next !== undefined; next = queue.pop())
    for (const [, name = ''] of next.matchAll(/#\/\$defs\/(\w+)/g)) {
      const used = schemas[name];
      if (found.has(name) || used === undefined) continue;
      const definition = withClosedOptions(name, withFileReferences(used));
      found.set(name, definition);
      queue.push(JSON.stringify(definition));
    }
  return new Map([...found].sort(([a], [b]) => a.localeCompare(b)));
}

/** Files must not have unknown Options. The document allows them, because answers of later versions may have more. */
function withClosedOptions(name: string, value: Json): Json {
  const isOptions =
    name.startsWith('Options') && typeof value === 'object' && value !== null && !Array.isArray(value);
  return isOptions && 'properties' in value ? { ...value, additionalProperties: false } : value;
}
