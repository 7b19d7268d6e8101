import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { IntArray, identity, TextArray, times } from './entity-columns.ts';

/** The catalog's tables, for the ORM and for Kysely's types. `schema.test.ts` compares them with the migrations. */

/** The owner of devices, keys and Locations. */
export const Account = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    accountNo: p.integer().primary().autoincrement(),
    accountId: p.text().unique(),
    name: p.text().unique(),
    timezone: p.text().default('UTC'),
    defaultLocationIds: p.type(TextArray).nullable(),
    nscheduleNo: p.integer().nullable(),
    expiryWarningDays: p.text().nullable(),
    ...times(),
  },
});
export type Account = InferEntity<typeof Account>;

/** A key of the REST API; only its hash is kept. */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    keyNo: p.integer().primary().autoincrement(),
    keyId: p.text().unique(),
    accountNo: p.integer(),
    name: p.text().default(''),
    keyHash: p.blob().$type<Uint8Array>().unique(),
    hint: p.text(),
    level: p.text().$type<'UA' | 'UW' | 'UO' | 'UR'>(),
    basicUser: p.text().nullable(),
    basicHash: p.text().nullable(),
    expiresUs: p.bigint('number').nullable(),
    tagNos: p.type(IntArray).nullable(),
    createdBy: p.text().nullable(),
    ...times(),
    revokedAt: p.datetime().nullable(),
  },
});
export type ApiKey = InferEntity<typeof ApiKey>;

/** A notification schedule: who is notified, when and how often. */
const Nschedule = defineEntity({
  name: 'Nschedule',
  tableName: 'nschedules',
  properties: {
    nscheduleNo: p.integer().primary().autoincrement(),
    nscheduleId: p.text().unique(),
    accountNo: p.integer(),
    name: p.text(),
    timezone: p.text().default('UTC'),
    steps: p.json().$type<readonly unknown[]>().default('[]'),
    ...identity(),
    ...times(),
  },
});

/** A recipient of notifications. `address` has masked secrets; `sealed` holds the address and the secrets that sign. */
export const Contact = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  properties: {
    contactNo: p.integer().primary().autoincrement(),
    contactId: p.text().unique(),
    accountNo: p.integer(),
    ...identity(),
    name: p.text(),
    type: p.text(),
    address: p.text(),
    sealed: p.blob().$type<Uint8Array>(),
    previousSecretUntilUs: p.bigint('number').nullable(),
    notify: p.type(TextArray).nullable(),
    options: p.json().nullable(),
    shadow: p.boolean().default(false),
    ...times(),
  },
});
export type Contact = InferEntity<typeof Contact>;

/** A maintenance schedule: recurring maintenance windows. */
const Mschedule = defineEntity({
  name: 'Mschedule',
  tableName: 'mschedules',
  properties: {
    mscheduleNo: p.integer().primary().autoincrement(),
    mscheduleId: p.text().unique(),
    accountNo: p.integer(),
    name: p.text(),
    timezone: p.text().default('UTC'),
    startLocal: p.text(),
    durationS: p.integer(),
    recurrence: p.text().nullable(),
    endOnFirstOk: p.boolean().default(false),
    ...identity(),
    ...times(),
  },
});

/** A named vantage point. A deleted one keeps its row, because history names it; names of the others are unique. */
export const Location = defineEntity({
  name: 'Location',
  tableName: 'locations',
  properties: {
    locationNo: p.integer().primary().autoincrement(),
    locationId: p.text().unique(),
    accountNo: p.integer(),
    name: p.text(),
    ...identity(),
    anchors: p.json().defaultRaw("'[]'"),
    failedAnchors: p.json().defaultRaw("'[]'"),
    nscheduleNo: p.integer().nullable(),
    publicTargetsOnly: p.boolean().default(false),
    online: p.boolean().default(false),
    onlineSinceUs: p.bigint('number').nullable(),
    offlineSinceUs: p.bigint('number').nullable(),
    offlineReason: p.text().nullable(),
    ...times(),
    deletedAt: p.datetime().nullable(),
  },
});
export type Location = InferEntity<typeof Location>;

/** A process that runs checks at a Location. */
export const Agent = defineEntity({
  name: 'Agent',
  tableName: 'agents',
  properties: {
    agentNo: p.integer().primary().autoincrement(),
    agentId: p.text().unique(),
    accountNo: p.integer(),
    locationNo: p.integer(),
    name: p.text(),
    tokenHash: p.blob().$type<Uint8Array>().unique(),
    state: p.text().$type<'New' | 'Connected' | 'Away' | 'Fenced' | 'Revoked'>().default('New'),
    version: p.text().nullable(),
    hostName: p.text().nullable(),
    bootId: p.text().nullable(),
    sessionId: p.text().nullable(),
    sessionCounter: p.bigint('number').defaultRaw('0'),
    gatewayId: p.text().nullable(),
    capacity: p.integer().default(60_000),
    tracesOnRequest: p.boolean().default(false),
    lastSeenUs: p.bigint('number').nullable(),
    connectedUs: p.bigint('number').nullable(),
    awaySinceUs: p.bigint('number').nullable(),
    /** When the agent received the request to end and hand its devices over; null: it received none. */
    leavingSinceUs: p.bigint('number').nullable(),
    clockOffsetUs: p.bigint('number').defaultRaw('0'),
    backlogRecords: p.bigint('number').defaultRaw('0'),
    latenessP50Ms: p.float().fieldName('lateness_p50_ms').default(0),
    latenessP99Ms: p.float().fieldName('lateness_p99_ms').default(0),
    checksSkipped: p.bigint('number').defaultRaw('0'),
    offlineReason: p.text().nullable(),
    anchorStates: p.json().defaultRaw("'[]'"),
    ...times(),
    revokedAt: p.datetime().nullable(),
    removedAt: p.datetime().nullable(),
    tokenExpiresUs: p.bigint('number'),
    tokenUsedUs: p.bigint('number').nullable(),
    /** SHA-256 of the agent's public key (SubjectPublicKeyInfo). */
    keyHash: p.blob().$type<Uint8Array>().unique().nullable(),
    /** The newest one, PEM. */
    certificate: p.text().nullable(),
    certificateEndUs: p.bigint('number').nullable(),
    /** The parcel that its host needs; null: it cannot upgrade itself. */
    architecture: p.text().nullable(),
    /** Why it cannot upgrade itself, for people. */
    upgradeFault: p.text().nullable(),
  },
});
export type Agent = InferEntity<typeof Agent>;

/** A Location that an agent had from `fromUs` (0: since the agent exists) until `toUs`, which is not included. */
export const FormerLocation = defineEntity({
  name: 'FormerLocation',
  tableName: 'former_locations',
  properties: {
    agentNo: p.integer().primary(),
    locationNo: p.integer(),
    fromUs: p.bigint('number'),
    toUs: p.bigint('number').primary(),
  },
  primaryKeys: ['agentNo', 'toUs'],
});

/** A monitored device. `url` and `options` have their secrets masked; `sealed` holds both with the secrets. */
export const Device = defineEntity({
  name: 'Device',
  tableName: 'devices',
  properties: {
    deviceNo: p.integer().primary().autoincrement(),
    deviceId: p.text().unique(),
    accountNo: p.integer(),
    method: p.text(),
    url: p.text(),
    options: p.json().$type<Record<string, unknown>>().default('{}'),
    sealed: p.blob().$type<Uint8Array>(),
    hostData: p.json().$type<Record<string, unknown>>().nullable(),
    shortName: p.text(),
    fullName: p.text().nullable(),
    frequencyMin: p.integer(),
    frequencyS: p.integer().nullable(),
    timeoutS: p.integer(),
    retries: p.integer(),
    retryDelayS: p.integer(),
    nscheduleNo: p.integer().nullable(),
    mscheduleNo: p.integer().nullable(),
    masterNo: p.integer().nullable(),
    locationsGiven: p.boolean(),
    ...identity(),
    enabled: p.boolean().default(true),
    severity: p.text().$type<'critical' | 'warning' | 'info'>().default('critical'),
    expiryWarningDays: p.text().nullable(),
    revision: p.integer().default(1),
    targetRevision: p.integer().default(1),
    changedUs: p.bigint('number'),
    warnings: p.type(TextArray).default([]),
    createdUs: p.bigint('number'),
    updatedUs: p.bigint('number'),
  },
});
export type Device = InferEntity<typeof Device>;

/** A Location at which a device is checked, and its position in the rotation. */
const DeviceLocation = defineEntity({
  name: 'DeviceLocation',
  tableName: 'device_locations',
  properties: {
    deviceNo: p.integer().primary(),
    locationNo: p.integer().primary(),
    rotationIndex: p.integer(),
  },
  primaryKeys: ['deviceNo', 'locationNo'],
});

/** A named group of devices. */
export const Tag = defineEntity({
  name: 'Tag',
  tableName: 'tags',
  properties: {
    tagNo: p.integer().primary().autoincrement(),
    tagId: p.text().unique(),
    accountNo: p.integer(),
    name: p.text(),
    ...identity(),
    ...times(),
  },
});
export type Tag = InferEntity<typeof Tag>;

/** A device that has a tag. */
export const DeviceTag = defineEntity({
  name: 'DeviceTag',
  tableName: 'device_tags',
  properties: {
    tagNo: p.integer().primary(),
    deviceNo: p.integer().primary(),
  },
  primaryKeys: ['tagNo', 'deviceNo'],
});
export type DeviceTag = InferEntity<typeof DeviceTag>;

/** A named secret of an account; only its sealed value is kept. */
export const Secret = defineEntity({
  name: 'Secret',
  tableName: 'secrets',
  properties: {
    accountNo: p.integer().primary(),
    name: p.text().primary(),
    secretId: p.text().unique(),
    sealed: p.blob().$type<Uint8Array>(),
    ...times(),
  },
  primaryKeys: ['accountNo', 'name'],
});
export type Secret = InferEntity<typeof Secret>;

/** Every entity. All other tables belong to the data path; Kysely and bulk SQL read and write them. */
export const entities = [
  Account,
  ApiKey,
  Contact,
  Nschedule,
  Mschedule,
  Location,
  Agent,
  FormerLocation,
  Device,
  DeviceLocation,
  Tag,
  DeviceTag,
  Secret,
];
