import { probeFor } from '@vantage/probes';
import { createExampleMaker } from './examples.ts';
import { facts } from './field-texts.ts';
import {
  defaultInText,
  mapSchema,
  mapValues,
  type OpenApiSchema,
  type OpenApiSchemas,
  type SchemaPosition,
} from './openapi-schema.ts';

/** Gives every schema and every property a description and an example. */
export function describeSchemas(schemas: OpenApiSchemas): OpenApiSchemas {
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

/** URL and Options of a device must fit its Method, so the probe provides the whole example. */
function deviceExample(component: string): object | undefined {
  const [, method = ''] = /^DeviceCreate(\w+)$/.exec(component) ?? [];
  const probe = probeFor(method);
  return probe && { Method: probe.method, ...probe.example };
}

/** `describeProperty` for a body, whose defaults are part of the texts. */
function describeBody(schema: OpenApiSchema, position: SchemaPosition): OpenApiSchema {
  return defaultInText(describeProperty(schema, position));
}

/** Adds to a property the fact of its field, or what `facts` knows of its name. */
export function describeProperty(
  schema: OpenApiSchema,
  { component, property }: SchemaPosition,
): OpenApiSchema {
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
function fits(example: unknown, schema: OpenApiSchema): boolean {
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
function onlyOf(members: readonly unknown[], schema: OpenApiSchema): OpenApiSchema {
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
  Location: 'A vantage point from which agents check devices.',
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
  DeviceOffer: 'What a device offers to watch, as an agent found it.',
  OfferedInterface: 'An interface of a device.',
  OfferedValue: 'A known object of a device.',
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
