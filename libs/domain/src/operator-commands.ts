import { z } from 'zod';
import { isPlainLine, plainLineRule } from './plain-line.ts';

/** How far the history is distributed over the workers of a Citus cluster. */
const distribution = z.object({
  citus: z.string().describe('The version of Citus.'),
  workers: z.array(z.string()).readonly(),
  tables: z
    .array(
      z.object({
        table: z.string(),
        done: z.boolean().describe('False: its rows lie on the coordinator.'),
        bytes: z.int().describe('On the coordinator.'),
      }),
    )
    .readonly(),
});

const databaseSteps = ['database', 'replication', 'read replica'] as const;

const finding = z.discriminatedUnion('level', [
  z.object({ level: z.literal('ok'), step: z.literal(databaseSteps), text: z.string() }),
  z.object({
    level: z.literal(['warning', 'fault']),
    step: z.literal(databaseSteps),
    text: z.string(),
    remedy: z.string(),
  }),
]);

/** The examination of a database by a doctor. */
const databaseExamination = {
  request: z.strictObject({ read_url: z.string().optional().describe('Of a replica.') }),
  answer: z.array(finding).readonly(),
};

/** A timestamp: a Date in the programs, an ISO text between them. */
const timestamp = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});

/** The levels of an API key: manage keys too, view and modify, view and operate, or view only. */
export const keyLevels = ['UA', 'UW', 'UO', 'UR'] as const;

/** A text for people that may be empty: the name of a key. */
const line = z.string().max(200).refine(isPlainLine, { error: plainLineRule });
/** A name of an account or Location; an agent may have none. */
const newName = line.min(1);
/** The name or id of something that is there. */
const reference = z.string();
/** An API key or agent token. */
const credential = z.string().min(1);
const ofOneAccount = z.strictObject({ account: reference.optional().describe('Undefined: all accounts.') });

const account = z.object({ account_id: z.string(), name: z.string(), timezone: z.string() });
const key = z.object({
  key_id: z.string(),
  account: z.string(),
  name: z.string(),
  level: z.enum(keyLevels),
  hint: z.string().describe("The key's first characters."),
  basic_user: z.string().nullable(),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
});
const location = z.object({
  location_id: z.string(),
  account: z.string(),
  name: z.string(),
  online: z.boolean(),
  agents: z.int(),
});
const agent = z.object({
  agent_id: z.string(),
  account: z.string(),
  location: z.string(),
  name: z.string(),
  state: z.string(),
  version: z.string().nullable(),
  upgrade: z.string().nullable().describe('The latest upgrade: version, state and reason.'),
  created_at: timestamp,
});

const contact = z.object({
  contact_id: z.string(),
  account: z.string(),
  name: z.string(),
  type: z.string(),
  address: z.string().describe('Credentials are ***.'),
});

const alert = z.object({
  alert_id: z.string(),
  account: z.string(),
  kind: z.string(),
  state: z.string(),
  device: z.string().nullable().describe('ShortName; null: the alert is of a Location.'),
  location: z.string().nullable(),
  since: timestamp,
  check_result: z.string().nullable(),
});

const quarantined = z.object({
  account: z.string(),
  agent_id: z.string(),
  agent: z.string(),
  reason: z.string(),
  records: z.int(),
  waiting: z.int().describe('Records of them that a controller takes in again.'),
  first: timestamp,
  last: timestamp,
});

const schemas = {
  'accounts.create': {
    request: z.strictObject({ name: newName, timezone: z.string() }),
    answer: z.object({
      account,
      has_default_location: z.boolean().describe('Whether devices that name no Location are checked.'),
    }),
  },
  'accounts.list': { request: z.strictObject({}), answer: z.array(account).readonly() },
  'keys.issue': {
    request: z.strictObject({
      account: reference,
      level: z.enum(keyLevels),
      name: line,
      basic: z.strictObject({ user: z.string(), password: z.string() }).optional(),
    }),
    answer: z.object({ key_id: z.string(), key: z.string(), level: z.enum(keyLevels) }),
  },
  'keys.list': { request: ofOneAccount, answer: z.array(key).readonly() },
  'keys.revoke': {
    request: z.strictObject({ key: z.string().describe('Its id or hint.') }),
    answer: z.object({ key_id: z.string() }),
  },
  'locations.create': {
    request: z.strictObject({ account: reference, name: newName }),
    answer: z.object({ location_id: z.string(), name: z.string() }),
  },
  'locations.list': { request: ofOneAccount, answer: z.array(location).readonly() },
  'contacts.add': {
    request: z.strictObject({
      account: reference,
      address: z.string().max(2048),
      name: newName.optional(),
      secret_key_file: z.string().describe('The key that seals the address.'),
      allow_private: z.boolean().describe('Webhooks may go to private addresses.'),
    }),
    answer: z.object({
      contact_id: z.string(),
      type: z.string(),
      address: z.string(),
      secret: z.string().nullable().describe('Signs the messages of a webhook; null: it has none.'),
      schedule: z.string().nullable().describe('The schedule that notifies it now.'),
      note: z.string().describe('What that means, in a sentence.'),
    }),
  },
  'contacts.test': {
    request: z.strictObject({
      account: reference,
      contact: reference.describe('Its id, name, or address as lists show it.'),
    }),
    answer: z.object({ contact_id: z.string(), name: z.string(), answer: z.string() }),
  },
  'contacts.list': { request: ofOneAccount, answer: z.array(contact).readonly() },
  'alerts.list': {
    request: z.strictObject({ account: reference }),
    answer: z.array(alert).readonly().describe('Alerts that are not closed, up to 1,000, newest first.'),
  },
  'alerts.acknowledge': {
    request: z.strictObject({ account: reference, alert_id: z.string(), note: line.nullable() }),
    answer: z.object({ alert_id: z.string(), state: z.string() }),
  },
  'database.plan': { request: z.strictObject({}), answer: distribution },
  'database.distribute': {
    request: z.strictObject({ shards: z.int().min(1).max(1_024) }),
    answer: distribution,
  },
  'database.examine': databaseExamination,
  'quarantine.list': {
    request: ofOneAccount,
    answer: z.array(quarantined).readonly().describe('By agent and reason, up to 1,000, the latest first.'),
  },
  'quarantine.retry': {
    request: z.strictObject({
      account: reference.optional().describe('Undefined: all accounts.'),
      agent_id: z.string().optional(),
      reason: z.string().max(500).optional(),
      limit: z.int().min(1).max(10_000),
    }),
    answer: z.object({
      records: z.int().describe('Records that were chosen, the oldest.'),
      accepted: z.int(),
      refused: z.int().describe('Records that are refused again.'),
      waiting: z.int().describe('Records that no controller has judged yet.'),
    }),
  },
  'agents.invite': {
    request: z.strictObject({
      account: reference,
      location: reference,
      name: line,
      endpoint: z.string().describe("The agents' port as the agent reaches it; several comma-separated."),
      tls_names: z.array(z.string()).describe('The present value of VANTAGE_TLS_NAMES.'),
      parcels: z.string().describe('The folder of the parcels.'),
      makes_parcel: z.boolean().describe('Where the folder lacks the parcel for this host, make it first.'),
      release_key: z.string().nullable().describe('The line of the public release key; null: there is none.'),
      certificate: z
        .string()
        .nullable()
        .describe("The controllers' certificate (PEM), for an address that cannot be reached from here."),
      check: z.boolean().describe('False: nobody connects to the endpoint.'),
    }),
    answer: z.object({
      agent_id: z.string(),
      token: z.string(),
      expires: timestamp,
      command: z
        .string()
        .nullable()
        .describe(
          'The line that installs the agent, with curl; null: no controller answers there, and its certificate is not known.',
        ),
      command_wget: z.string().nullable().describe('The same with GNU wget.'),
      warnings: z.array(z.string()).describe('Sentences for the operator.'),
    }),
  },
  'agents.list': { request: ofOneAccount, answer: z.array(agent).readonly() },
  'agents.revoke': {
    request: z.strictObject({ agent_id: z.string() }),
    answer: z.object({ agent_id: z.string() }),
  },
  'agents.remove': {
    request: z.strictObject({ agent_id: z.string() }),
    answer: z.object({ agent_id: z.string() }),
  },
  'agents.rename': {
    request: z.strictObject({ agent_id: z.string(), name: newName }),
    answer: z.object({ agent_id: z.string(), name: z.string() }),
  },
  'agents.move': {
    request: z.strictObject({ agent_id: z.string(), location: reference }),
    answer: z.object({
      agent_id: z.string(),
      location: z.string(),
      left_without_agent: z.string().nullable().describe('The Location whose last agent it was.'),
    }),
  },
  'agents.upgrade': {
    request: z.strictObject({
      account: reference,
      version: z.string(),
      of: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('all') }),
        z.strictObject({ kind: z.literal('location'), location: reference }),
        z.strictObject({ kind: z.literal('agent'), agentId: z.string() }),
      ]),
      parcels: z.string().describe('The folder of the parcels.'),
      release_key: z.string().nullable().describe('The line of the public release key; null: there is none.'),
    }),
    answer: z.object({
      version: z.string(),
      agents: z.int().describe('Agents of the rollout.'),
      skipped: z
        .array(z.object({ agent_id: z.string(), name: z.string(), reason: z.string() }))
        .describe('Agents that cannot run the version.'),
    }),
  },
  'agents.unfence': {
    request: z.strictObject({ agent_id: z.string() }),
    answer: z.object({ agent_id: z.string() }),
  },
  /**
   * The first start of a system on one machine, and each later one: the credentials that the data folder keeps are in
   * force afterwards.
   */
  'first-run.provision': {
    request: z.strictObject({
      api_key_ua: credential.optional(),
      api_key_uw: credential.optional(),
      api_key_ur: credential.optional(),
      agent_token: credential.optional(),
      agent_name: z.string(),
      has_agent_folder: z.boolean().describe("Whether the agent's folder remembers the agent's sessions."),
    }),
    answer: z
      .object({ api_key_uw: credential, api_key_ur: credential, agent_token: credential })
      .extend({ api_key_ua: credential.optional() }),
  },
  'first-run.await-agent': {
    request: z.strictObject({
      agent_token: credential,
      within_ms: z.int().min(0).max(60_000),
    }),
    answer: z.object({ connected: z.boolean() }),
  },
} as const;

/** A command by its name. */
export type OperatorCommand = keyof typeof schemas;

/** The requests, by command. */
export type OperatorRequests = { [C in OperatorCommand]: z.output<(typeof schemas)[C]['request']> };

/** The answers, by command. */
export type OperatorAnswers = { [C in OperatorCommand]: z.output<(typeof schemas)[C]['answer']> };

/**
 * The operator's commands that work on the database: the command line sends the request, the controller's admin program
 * runs it and sends the answer. The order of an answer's fields is the order of the columns that people see.
 */
export const operatorCommands: {
  readonly [C in OperatorCommand]: {
    readonly request: z.ZodType<OperatorRequests[C]>;
    readonly answer: z.ZodType<OperatorAnswers[C]>;
  };
} = schemas;

/** A line of the standard input of the admin program, as JSON. */
export const operatorCall = z.strictObject({
  database_url: z.string(),
  command: z.string(),
  request: z.unknown(),
});

/** A line of the output of the admin program, as JSON: the reply to a call. */
export const operatorReply = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), answer: z.unknown() }),
  z.strictObject({
    ok: z.literal(false),
    error: z.strictObject({ code: z.string().describe('Programs may rely on it.'), message: z.string() }),
  }),
]);
