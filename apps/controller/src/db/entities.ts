import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** Who owns devices, keys and Locations. */
export const Account = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    accountNo: p.integer().primary(),
    accountId: p.text().unique(),
    name: p.text().unique(),
    timezone: p.text().default('UTC'),
    defaultLocationIds: p.array().$type<string[]>().nullable(),
    nscheduleNo: p.integer().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});
export type Account = InferEntity<typeof Account>;

/** A key of the REST API; only its hash is kept. */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    keyNo: p.integer().primary(),
    keyId: p.text().unique(),
    accountNo: p.integer(),
    name: p.text().default(''),
    keyHash: p.blob().unique(),
    hint: p.text(),
    level: p.text().$type<'UW' | 'UR'>(),
    basicUser: p.text().nullable(),
    basicHash: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    revokedAt: p.datetime().nullable(),
  },
});
export type ApiKey = InferEntity<typeof ApiKey>;

/** Whom to tell, when and how often. */
export const Nschedule = defineEntity({
  name: 'Nschedule',
  tableName: 'nschedules',
  properties: {
    nscheduleNo: p.integer().primary(),
    nscheduleId: p.text().unique(),
    accountNo: p.integer(),
    name: p.text(),
    timezone: p.text().default('UTC'),
    steps: p.json().default('[]'),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});
export type Nschedule = InferEntity<typeof Nschedule>;

/** Recurring maintenance windows. */
export const Mschedule = defineEntity({
  name: 'Mschedule',
  tableName: 'mschedules',
  properties: {
    mscheduleNo: p.integer().primary(),
    mscheduleId: p.text().unique(),
    accountNo: p.integer(),
    name: p.text(),
    timezone: p.text().default('UTC'),
    startLocal: p.text(),
    durationS: p.integer(),
    recurrence: p.text().nullable(),
    endOnFirstOk: p.boolean().default(false),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});
export type Mschedule = InferEntity<typeof Mschedule>;

/** A named place from which agents look. */
export const Location = defineEntity({
  name: 'Location',
  tableName: 'locations',
  properties: {
    locationNo: p.integer().primary(),
    locationId: p.text().unique(),
    accountNo: p.integer(),
    name: p.text(),
    anchors: p.json().default('[]'),
    nscheduleNo: p.integer().nullable(),
    publicTargetsOnly: p.boolean().default(false),
    online: p.boolean().default(false),
    onlineSinceUs: p.bigint('number').nullable(),
    offlineSinceUs: p.bigint('number').nullable(),
    offlineReason: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});
export type Location = InferEntity<typeof Location>;

/** A process at a Location that looks at devices. */
export const Agent = defineEntity({
  name: 'Agent',
  tableName: 'agents',
  properties: {
    agentNo: p.integer().primary(),
    agentId: p.text().unique(),
    accountNo: p.integer(),
    locationNo: p.integer(),
    name: p.text(),
    tokenHash: p.blob().unique(),
    state: p.text().$type<'New' | 'Connected' | 'Away' | 'Fenced' | 'Revoked'>().default('New'),
    version: p.text().nullable(),
    hostName: p.text().nullable(),
    bootId: p.text().nullable(),
    sessionId: p.text().nullable(),
    sessionCounter: p.bigint('number').default(0),
    gatewayId: p.text().nullable(),
    capacity: p.integer().default(60_000),
    lastSeenUs: p.bigint('number').nullable(),
    connectedUs: p.bigint('number').nullable(),
    awaySinceUs: p.bigint('number').nullable(),
    clockOffsetUs: p.bigint('number').default(0),
    backlogRecords: p.bigint('number').default(0),
    latenessP50Ms: p.float().fieldName('lateness_p50_ms').default(0),
    latenessP99Ms: p.float().fieldName('lateness_p99_ms').default(0),
    checksSkipped: p.bigint('number').default(0),
    offlineReason: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    revokedAt: p.datetime().nullable(),
  },
});
export type Agent = InferEntity<typeof Agent>;

/** What is watched. `url` and `options` are as shown; `sealed` holds them with their secrets. */
export const Device = defineEntity({
  name: 'Device',
  tableName: 'devices',
  properties: {
    deviceNo: p.integer().primary(),
    deviceId: p.text().unique(),
    accountNo: p.integer(),
    method: p.text(),
    url: p.text(),
    options: p.json().$type<Record<string, unknown>>().default('{}'),
    sealed: p.blob(),
    hostData: p.json().nullable(),
    shortName: p.text(),
    fullName: p.text().nullable(),
    frequencyMin: p.integer(),
    timeoutS: p.integer(),
    retries: p.integer(),
    retryDelayS: p.integer(),
    nscheduleNo: p.integer().nullable(),
    mscheduleNo: p.integer().nullable(),
    masterNo: p.integer().nullable(),
    locationsGiven: p.boolean(),
    revision: p.integer().default(1),
    targetRevision: p.integer().default(1),
    changedUs: p.bigint('number'),
    warnings: p.array().$type<string[]>().default([]),
    createdUs: p.bigint('number'),
    updatedUs: p.bigint('number'),
  },
});
export type Device = InferEntity<typeof Device>;

/** A group of devices. */
export const Tag = defineEntity({
  name: 'Tag',
  tableName: 'tags',
  properties: {
    tagNo: p.integer().primary(),
    tagId: p.text().unique(),
    accountNo: p.integer(),
    name: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});
export type Tag = InferEntity<typeof Tag>;

/** What the ORM knows; all else is read and written through Kysely. */
export const entities = [Account, ApiKey, Nschedule, Mschedule, Location, Agent, Device, Tag];
