import { z } from 'zod';
import { line, newName, ofOneAccount, reference, timestamp } from './command-fields.ts';

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

export const agentCommands = {
  'agents.invite': {
    request: z.strictObject({
      account: reference,
      location: reference,
      name: line,
      endpoint: z.string().describe("The agents' port as the agent reaches it; several comma-separated."),
      tls_names: z.array(z.string()).describe('The present value of VANTAGE_TLS_NAMES.'),
      parcels: z.string().describe('The folder of the parcels.'),
      makes_parcel: z.boolean().describe('If the folder lacks the parcel for this host, create it first.'),
      release_key: z.string().nullable().describe('The line of the public release key; null: there is none.'),
      certificate: z
        .string()
        .nullable()
        .describe("The controllers' certificate (PEM), for an address that cannot be reached from here."),
      check: z.boolean().describe('False: the controller does not connect to the endpoint.'),
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
} as const;
