import { type Json, methods } from '@vantage/domain';
import { z } from 'zod';
import { type Kind, kindNames, kinds, required } from './kinds.ts';

const schema = z.record(z.string(), z.json());
type Schema = Readonly<Record<string, Json>>;
const documentShape = z.object({ components: z.object({ schemas: z.record(z.string(), schema) }) });

/** The schema of the OpenAPI document that creates a thing of each kind. */
export const creating: Readonly<Record<Kind, string>> = {
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
  description: 'What the thing is known by: its ExternalKey. It stays when anything else changes.',
};

/**
 * The JSON Schema (draft 2020-12) of the files of `vantage apply`, for editors, made of the controller's OpenAPI
 * document. Pure.
 */
export function fileSchema(document: unknown): object {
  const { schemas } = documentShape.parse(document).components;
  const lists = kindNames.map((kind) => [
    kinds[kind].section,
    { type: 'array', items: entryOf(kind, schemas), description: `The ${kinds[kind].what}s.` },
  ]);
  const settings = { ...entryOf('device', schemas), required: [] };
  const made = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Devices as code (vantage apply)',
    type: 'object',
    additionalProperties: false,
    properties: {
      source: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: 'Who manages the things of the file, for example net/berlin.',
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
  const text = JSON.stringify(made);
  return { ...made, $defs: Object.fromEntries(usedBy(text, schemas)) };
}

function entryOf(kind: Kind, schemas: Readonly<Record<string, Schema>>): Schema {
  const { fields } = kinds[kind];
  const own = propertiesOf(schemas[creating[kind]]);
  const known = Object.keys(fields).filter((name) => name in own || name === 'Method' || name === 'Options');
  const properties: Record<string, Json> = { Key: key };
  for (const name of known) properties[name] = pointed(own[name] ?? {});
  const needed = Object.entries(fields).flatMap(([name, value]) => (value === required ? [name] : []));
  const entry: Schema = { type: 'object', additionalProperties: false, properties };
  // `defaults` may give a device everything else.
  if (kind !== 'device') return { ...entry, required: ['Key', ...needed] };
  properties['Method'] = { enum: [...methods], description: 'How it is checked.' };
  return { ...entry, required: ['Key'], allOf: methods.map((method) => optionsOf(method)) };
}

/** The Options of a Method, where the entry names it. */
function optionsOf(method: string): Json {
  const options = { anyOf: [{ $ref: `#/$defs/Options${method}` }, { type: 'null' }] };
  const isMethod = { properties: { Method: { const: method } }, required: ['Method'] };
  return { anyOf: [{ not: isMethod }, { properties: { Options: options } }] };
}

function propertiesOf(given: Schema | undefined): Readonly<Record<string, Json>> {
  return schema.safeParse(given?.['properties']).data ?? {};
}

/** References of the document as references of the file's schema. */
function pointed(value: Json): Json {
  return z.json().parse(JSON.parse(JSON.stringify(value).replaceAll('#/components/schemas/', '#/$defs/')));
}

/** The schemas that a text refers to, and those that they refer to. */
function usedBy(text: string, schemas: Readonly<Record<string, Schema>>): Map<string, Json> {
  const found = new Map<string, Json>();
  const queue = [text];
  for (let next = queue.pop(); next !== undefined; next = queue.pop())
    for (const [, name = ''] of next.matchAll(/#\/\$defs\/(\w+)/g)) {
      const used = schemas[name];
      if (found.has(name) || used === undefined) continue;
      const own = closed(name, pointed(used));
      found.set(name, own);
      queue.push(JSON.stringify(own));
    }
  return new Map([...found].sort(([a], [b]) => a.localeCompare(b)));
}

/** An option that its Method does not have is a mistake in a file. An answer may hold more in a later version. */
function closed(name: string, value: Json): Json {
  const isOptions =
    name.startsWith('Options') && typeof value === 'object' && value !== null && !Array.isArray(value);
  return isOptions && 'properties' in value ? { ...value, additionalProperties: false } : value;
}
