import { probeFor } from '@vantage/probes';
import { z } from 'zod';
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { createResourceFinder } from '../../http/entity-tag.ts';
import type { Route } from '../../http/route.ts';
import { sessionCookieName } from '../../http/session.ts';
import { deviceChange, devicesByMethod, optionSchemas } from './devices.ts';
import { createExampleMaker } from './examples.ts';
import { facts } from './field-texts.ts';
import { operationOf, withKey } from './operation.ts';
import {
  defaultInText,
  mapSchema,
  mapValues,
  type Place,
  readSchema,
  refTo,
  type Schema,
  type Schemas,
} from './schema.ts';
import { webhooks } from './webhooks.ts';

const tags: Readonly<Record<string, string>> = {
  Service: 'The service itself.',
  Checks: 'Records of checks, and checks on request.',
  Devices: 'What is monitored: a Method, a URL and settings.',
  Events: 'The history of changes.',
  Maintenance: 'Starting and stopping maintenance.',
  Outages: 'Times in which devices were Down.',
  Uptime: 'How long devices were Up.',
  Statistics: 'Figures of checks.',
  Tags: 'Groups of devices.',
  Account: 'The account of the key.',
  Locations: 'Places from which agents check.',
  Agents: 'The programs that run the checks.',
  Audit: 'Who changed what.',
  Batch: 'Many requests in one.',
  Alerts: 'Decisions to notify people.',
  Contacts: 'Where notifications go.',
  Hooks: 'Where every event goes.',
  'Status pages': 'How devices are, for people without a key.',
  'Monthly reports': 'Uptime and outages of a month, by mail to contacts.',
  'Maintenance schedules': 'Maintenance windows that recur.',
  'Notification schedules': 'Who is notified, when and how often.',
  Keys: 'Keys of the API.',
  Users: 'People who sign in.',
  Sessions: 'Signing in with a browser.',
  Secrets: 'Write-only values for Options and scripts.',
};

/** Derives the OpenAPI 3.1 document from a route table. It says `{version}` where the product's version belongs. */
export function openApiDocument(routes: readonly Route[]): object {
  const paths: ZodOpenApiPathsObject = {};
  const findResource = createResourceFinder(routes);
  for (const route of routes)
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationOf(route, findResource),
    };
  const raw = createDocument(
    {
      ...frameOf(routes),
      paths,
      components: {
        schemas: Object.fromEntries(Object.keys(optionSchemas()).map((name) => [name, {}])),
        securitySchemes,
      },
    },
    {
      override: ({ jsonSchema, io }) => {
        // An answer may hold more in a later version.
        if (io === 'output' && jsonSchema.additionalProperties === false)
          delete jsonSchema.additionalProperties;
      },
    },
  );
  const plain = documentShape.parse(JSON.parse(JSON.stringify(raw)));
  const declared = { ...plain.components.schemas, ...optionSchemas() };
  const schemas = describeSchemas(devicesByMethod(withReadOnly(mapValues(declared, readSchema), routes)));
  const finish = createFinisher(schemas);
  return {
    ...plain,
    paths: finish(plain.paths),
    webhooks,
    components: {
      ...plain.components,
      responses: finish(plain.components.responses),
      schemas: { ...schemas, DeviceChange: deviceChange },
    },
  };
}

/** Its order is that of the document: readers and tools look at the begin for the version. */
const documentShape = z.looseObject({
  openapi: z.string(),
  info: z.json(),
  paths: z.json(),
  components: z.looseObject({ schemas: z.record(z.string(), z.json()), responses: z.json() }),
});

function frameOf(routes: readonly Route[]) {
  const used = [...new Set(routes.map(({ tag }) => tag))];
  return {
    openapi: '3.1.0' as const,
    info: {
      title: 'Device Monitoring Service API',
      version: '1.1',
      description: `Served by Vantage {version}. A good answer is 200. Every request that fails by the caller's fault is 400 with \`code\` and \`message\`. What is marked as deprecated works for at least a year longer, and as long as the path begins with \`/v1.1\`; answers may get new fields at any time.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/v1.1', description: 'The controller that serves this document.' }],
    tags: used.map((name) => ({ name, description: tags[name] ?? name })),
    security: [...withKey, { session: [] }],
  };
}

const securitySchemes = {
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'Service-API-Key',
    description: 'The key of the account. This form is recommended.',
  },
  apiKeyQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'The key of the account, for clients that cannot send a header.',
  },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'Besides the key, where a user name and a password were set for it.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName,
    description:
      'For web pages of this controller: the cookie of `POST /session`. Changes need the header X-CSRF-Token, too.',
  },
} as const;

/**
 * Adds to the body of each PUT what its resource returns and nobody can set, marked readOnly in both, so that a client
 * may change a field of what it read and send all of it back.
 */
function withReadOnly(schemas: Schemas, routes: readonly Route[]): Schemas {
  const made = { ...schemas };
  for (const { method, body, response, readOnly = [] } of routes) {
    const [sent, returned] = [body && z.globalRegistry.get(body)?.id, z.globalRegistry.get(response)?.id];
    const [from, to] = [made[returned ?? ''], made[sent ?? '']];
    if (method !== 'PUT' || from === undefined || to === undefined) continue;
    const own = Object.entries(from.properties ?? {})
      .filter(([name]) => readOnly.includes(name) && to.properties?.[name] === undefined)
      .map(([name, schema]): [string, Schema] => [name, { ...schema, readOnly: true }]);
    const marked = Object.fromEntries(own);
    made[returned ?? ''] = { ...from, properties: { ...from.properties, ...marked } };
    made[sent ?? ''] = { ...to, properties: { ...to.properties, ...marked } };
  }
  return made;
}

/**
 * Finishes what paths and responses hold: schemas are described, and parameters, headers and bodies get their examples.
 */
function createFinisher(schemas: Schemas) {
  const exampleOf = createExampleMaker(schemas);
  const finish = (value: unknown, property?: string, sent = false): unknown => {
    if (Array.isArray(value)) return value.map((part: unknown) => finish(part, undefined, sent));
    if (!isRecord(value)) return value;
    const name = typeof value['name'] === 'string' ? value['name'] : property;
    const parts = mapValues(value, (part, key) =>
      key === 'schema' ? part : finish(part, key, sent || key === 'requestBody'),
    );
    if (!isRecord(value['schema'])) return parts;
    const schema = finishSchema(readSchema(value['schema']), name);
    const shown = value['example'] ?? exampleOf(schema, sent);
    const { examples: _, ...plain } = schema;
    return { ...parts, schema: plain, ...(shown === undefined ? {} : { example: shown }) };
  };
  return (value: unknown) => finish(value);
}

function finishSchema(schema: Schema, property: string | undefined): Schema {
  const described = mapSchema(schema, describeProperty, { component: '', property });
  return described.$ref === refTo('DeviceUpdate').$ref
    ? { oneOf: [refTo('DeviceUpdate'), refTo('DeviceChange')] }
    : described;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Gives every schema and every property a description and an example. */
function describeSchemas(schemas: Schemas): Schemas {
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
function describeProperty(schema: Schema, { component, property }: Place): Schema {
  const { example: own, fact: ofField, whenMissing: _, ...rest } = schema;
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
  if (schema.enum !== undefined || schema.$ref !== undefined || schema.type === 'array') return {};
  const type = typeof members[0] === 'number' ? 'integer' : 'string';
  if (type === 'integer' && schema.type === 'string') return {}; // a query parameter that joins members by commas
  if (schema.anyOf === undefined) return { type, enum: members, minimum: undefined, maximum: undefined };
  return { anyOf: schema.anyOf.map((part) => (part.type === 'null' ? part : { type, enum: members })) };
}

/** Descriptions of whole schemas. */
const schemaTexts: Readonly<Record<string, string>> = {
  OutageUpdate: 'What people say about an outage.',
  Session: 'A sign-in by a browser.',
  PasswordChange: 'The present password and a new one.',
  SignIn: 'The key of a sign-in, or e-mail address and password.',
  User: 'A person of the account.',
  UserCreate: 'A person to invite.',
  UserInvitation: 'The link of an invitation, which is shown once.',
  UserInvite: 'How a person is invited again.',
  UserUpdate: 'Changed settings of a person; what is absent stays.',
  Account: 'The account of the key.',
  AuditEntry: 'A change of the catalog: who changed what, and when.',
  AccountUpdate: 'Changed settings of the account; what is absent stays.',
  Agent: 'An agent: the program that runs the checks of its Location.',
  Check:
    'The record of one check. All times are milliseconds; DNSTime, ConnectTime, SSLTime, TTFB and TTLB add up to RequestTime.',
  CheckOfDevice: 'The record of one check, with the device that it belongs to.',
  CheckExtended: 'Everything else that is kept of a check.',
  Contact: 'Where notifications go, without its secrets.',
  ContactCreate: 'A contact to create.',
  ContactUpdate: 'Changed settings of a contact; what is absent stays.',
  DeviceEntry: 'A device as lists show it.',
  Summary: 'The state of the whole account.',
  DeviceCounts: 'The devices of the account; Up, Down, Maint and Unknown add up to Total.',
  AlertCounts: 'The open alerts.',
  SummaryOfTag: 'The devices with a tag, or with one of the tags below a level of paths, by status.',
  SummaryOfLocation: 'The devices that are checked from a Location, by status.',
  DeviceTimeline: 'The statuses of a device over a period.',
  TimelineInterval: 'A stretch of time with one status.',
  DeviceState: 'A device as lists of thousands show it.',
  Event: 'A change of a device, a Location or an agent.',
  IssuedKey: 'A new key, which is shown once.',
  Key: 'A key of the API, without the key itself.',
  KeyCreate: 'A key to issue.',
  KeyUpdate: 'Changed settings of a key; what is absent stays.',
  Location: 'A place from which agents check devices.',
  DeviceMaintenance: 'Maintenance of one device that runs or is planned.',
  Maintenance: 'Maintenance that runs or is planned: of one request, or of one occurrence of a schedule.',
  MaintenanceSchedule: 'Maintenance windows that recur.',
  MaintenanceScheduleCreate: 'A maintenance schedule to create.',
  MaintenanceScheduleUpdate: 'Changed settings of a maintenance schedule; what is absent stays.',
  MaintenanceSchedulePreview: 'A maintenance schedule that need not be stored.',
  NotificationSchedulePreview:
    'A notification schedule that need not be stored, and the alert to try it with.',
  PreviewedMessage: 'A message that a schedule would send.',
  MaintenanceWindow: 'A window of a maintenance schedule, or a time that the clocks skip.',
  MaintenanceStart: 'How long the maintenance lasts.',
  NotificationSchedule: 'Who is notified, when and how often.',
  NotificationScheduleCreate: 'A notification schedule to create.',
  NotificationScheduleUpdate: 'Changed settings of a notification schedule; what is absent stays.',
  Outage: 'A time in which a device was Down, from the first error to the check that found it Up.',
  Problem: 'A failure: a number and a word for programs, and a sentence for people.',
  CheckTrial: 'The settings of a device, and the Location that tries them.',
  TrialRecord: 'A check of settings that are not stored.',
  ContactTest: 'What came of a test message.',
  RotatedSecret: 'The new secret of a contact.',
  ScheduleStep:
    'A step of a notification schedule: whom it notifies, how long after the alert and at which hours.',
  Secret: 'A secret without its value.',
  SecretCreate: 'A secret to keep.',
  SecretUpdate: 'Another value for a secret.',
  Statistics: 'Figures of one Location in one bucket of time.',
  Tag: 'A tag with its devices.',
  TagCreate: 'A tag to create.',
  TagEntry: 'A tag as lists show it.',
  TagUpdate: 'Another name for a tag.',
  Uptime: 'The uptime of a device in a period.',
  UptimeOfDevice: 'The uptime of one of many devices in a period.',
};
