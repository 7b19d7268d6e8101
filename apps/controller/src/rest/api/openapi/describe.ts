import { probeFor } from '@vantage/probes';
import { createExampleMaker } from './examples.ts';
import { facts } from './facts.ts';
import { defaultInText, mapSchema, mapValues, type Place, type Schema, type Schemas } from './schema.ts';
import { schemaTexts } from './schema-texts.ts';

/** Gives every schema and every property a description and an example. */
export function describeSchemas(schemas: Schemas): Schemas {
  const described = mapValues(schemas, (schema, component) => {
    const whole = mapSchema(schema, describeBody, { component, property: undefined });
    const description = whole.description ?? schemaTexts[component];
    return description === undefined ? whole : { ...whole, description };
  });
  const exampleOf = createExampleMaker(described);
  return mapValues(described, (schema, component) => {
    const isSent = /(Create|Update)/.test(component);
    if (schema.examples !== undefined || schema.type === 'string') return schema;
    return { ...schema, examples: [deviceExample(component) ?? exampleOf(schema, isSent)] };
  });
}

/** A device's URL and Options fit its Method, so their example is made as a whole. */
function deviceExample(component: string): object | undefined {
  const [, method = ''] = /^DeviceCreate(\w+)$/.exec(component) ?? [];
  const probe = probeFor(method);
  return probe && { Method: probe.method, ...probe.example };
}

/** `describeProperty` for a body, whose defaults stand in the texts. */
function describeBody(schema: Schema, place: Place): Schema {
  return defaultInText(describeProperty(schema, place));
}

/** Adds to a property the fact of its field, or what `facts` knows of its name. */
export function describeProperty(schema: Schema, { component, property }: Place): Schema {
  const { example: own, fact: ofField, ...rest } = schema;
  const shown = own === undefined ? rest : { ...rest, examples: [own] };
  if (property === undefined) return shown;
  const fact = ofField ?? facts[`${schemaOfDevice(component)}.${property}`] ?? facts[property] ?? {};
  const text = fact.text !== undefined && (shown.description === undefined || shown.$ref !== undefined);
  const { enum: members, example, format } = fact;
  return {
    ...shown,
    ...(text && shown['title'] === undefined ? { description: shown.description ?? fact.text } : {}),
    ...(example === undefined || shown.examples !== undefined || !fits(example, shown)
      ? {}
      : { examples: [example] }),
    ...(format === undefined || shown.format !== undefined || shown.type !== 'string' ? {} : { format }),
    ...(members === undefined ? {} : onlyOf(members, shown)),
  };
}

/** `Device` of `DeviceHTTP` and `DeviceCommon`. */
function schemaOfDevice(component: string): string {
  return component.replace(/^(Device(?:Create|Update)?)(?:Common|[A-Z]+|MySQL|IMAP4|POP3|Script)$/, '$1');
}

/** One name may be a list in an answer and a text in a query: an example is shown where its type is allowed only. */
function fits(example: unknown, schema: Schema): boolean {
  const type = example === null ? 'null' : Array.isArray(example) ? 'array' : typeof example;
  const choices = schema.anyOf ?? [schema];
  return choices.some((part) => {
    if (part.enum !== undefined) return part.enum.includes(example);
    const types = [part.type].flat();
    return (
      part.type === undefined || types.includes(type) || (type === 'number' && types.includes('integer'))
    );
  });
}

/** Limits a schema, or its branch that is not null, to these members. */
function onlyOf(members: readonly unknown[], schema: Schema): Schema {
  if (schema.enum !== undefined || schema.$ref !== undefined) return {};
  const type = typeof members[0] === 'number' ? 'integer' : 'string';
  if (type === 'integer' && schema.type === 'string') return {}; // a query parameter that joins members by commas
  if (schema.anyOf === undefined) return { type, enum: members, minimum: undefined, maximum: undefined };
  return { anyOf: schema.anyOf.map((part) => (part.type === 'null' ? part : { type, enum: members })) };
}
