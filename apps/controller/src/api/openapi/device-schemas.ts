import { type Method, methods } from '@vantage/domain';
import { registry } from '@vantage/probes';
import { z } from 'zod';
import {
  defaultInText,
  mapSchema,
  mapValues,
  type OpenApiSchema,
  type OpenApiSchemas,
  readSchema,
  refTo,
} from './openapi-schema.ts';

/** A schema that is one object for all Methods, as the routes declare it. */
const flat = ['Device', 'DeviceCreate', 'DeviceUpdate'] as const;

/** The Options of every Method, as they are sent and returned. */
export function optionSchemas(): OpenApiSchemas {
  const all = Object.values(registry).map((probe) => {
    const { $schema: _, ...sent } = z.toJSONSchema(probe.options, { io: 'input', unrepresentable: 'any' });
    const options = mapSchema(readSchema(sent), withoutDefault, { component: '', property: undefined });
    const description = `Options of Method ${probe.method}. All may be absent; a name that is not listed is refused with code 1004.`;
    const examples = [probe.example.Options];
    return [`Options${probe.method}`, { ...options, description, examples }] as const;
  });
  return Object.fromEntries(all);
}

/** Objects stay open, because a later version may return more. */
function withoutDefault({ additionalProperties, ...schema }: OpenApiSchema): OpenApiSchema {
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  return defaultInText({ ...schema, ...(isOpen && { additionalProperties }) });
}

/**
 * Turns each of the device's schemas into a choice by Method, so that a generated type knows which Options belong to
 * it: `Device` is one of `DeviceHTTP`, `DevicePING` and so on, which hold `DeviceCommon`.
 */
export function devicesByMethod(schemas: OpenApiSchemas): OpenApiSchemas {
  const made = { ...schemas };
  for (const name of flat) {
    const schema = schemas[name];
    if (schema !== undefined) Object.assign(made, chosenByMethod(name, schema));
  }
  return made;
}

function chosenByMethod(name: (typeof flat)[number], schema: OpenApiSchema): OpenApiSchemas {
  const { properties = {}, required = [], additionalProperties, description: _, ...rest } = schema;
  const { Method, Options, HostData, ...common } = properties;
  const isCommon = (field: string) => Object.hasOwn(common, field);
  const commonName = `${name}Common`;
  const arm = (method: Method): OpenApiSchema => ({
    title: method,
    description: `${descriptions[name]} of Method ${method}.`,
    allOf: [
      refTo(commonName),
      {
        type: 'object',
        properties: {
          Method: { ...Method, type: 'string', enum: [method], pattern: undefined, maxLength: undefined },
          Options: optionsOf(method, name, Options),
          ...(method === 'HTTP' && HostData !== undefined ? { HostData } : {}),
        },
        required: ['Method', ...required.filter((field) => field === 'Options')],
      },
    ],
    // Requests are validated strictly; answers of later versions may have more fields.
    ...(additionalProperties === false ? { unevaluatedProperties: false } : {}),
  });
  const names = Object.fromEntries(methods.map((method) => [method, `${name}${method}`]));
  return {
    ...Object.fromEntries(methods.map((method) => [`${name}${method}`, arm(method)])),
    [commonName]: {
      ...rest,
      description: `${descriptions[name]}: the fields that all Methods have.`,
      properties: common,
      required: required.filter(isCommon),
    },
    [name]: {
      description: `${descriptions[name]}, by its Method.`,
      oneOf: methods.map((method) => refTo(`${name}${method}`)),
      discriminator: {
        propertyName: 'Method',
        mapping: mapValues(names, (arm) => refTo(arm).$ref),
      },
    },
  };
}

const descriptions = {
  Device: 'A device with all its settings',
  DeviceCreate: 'A device to create',
  DeviceUpdate: 'Changed settings of a device',
} as const;

/** In an answer the Options are always there; in a request they may be absent, or null for the defaults. */
function optionsOf(method: Method, name: string, declared: OpenApiSchema | undefined): OpenApiSchema {
  const { description } = declared ?? {};
  const options = refTo(`Options${method}`);
  if (name === 'Device') return options;
  return { description, anyOf: [options, { type: 'null' }] };
}

/** A change of a device that does not name its Method. Options depend on the Method, so they are sent with it. */
export const deviceChange = {
  description: 'Changed settings of a device that do not name its Method and so hold no Options.',
  // `{ not: {} }` and no `false`: generators of other languages read no schema that is a boolean.
  allOf: [
    refTo('DeviceUpdateCommon'),
    { type: 'object', properties: { Method: { not: {} }, Options: { not: {} }, HostData: { not: {} } } },
  ],
  unevaluatedProperties: false,
  examples: [{ Frequency: 1, FullName: 'Web shop, front page' }],
};
