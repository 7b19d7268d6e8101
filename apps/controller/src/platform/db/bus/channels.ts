import { parseJson } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../schema.ts';

const numbers = z.array(z.int()).readonly();

/**
 * Each NOTIFY channel: its name in the database and its payload. Controllers of other versions use the same channels.
 */
export const channels = {
  /** Devices, Locations or agents of these Locations changed: plan them again. */
  catalog: { name: 'vantage_catalog', payload: z.object({ location_nos: numbers }) },
  /** The assignments of these agents changed, or the secrets that the assignments contain. */
  plan: { name: 'vantage_plan', payload: z.object({ agent_nos: numbers }) },
  /** A run request for this agent is open. */
  runRequest: { name: 'vantage_run_request', payload: z.object({ agent_no: z.int() }) },
  /** The check that this run request asked for is stored. */
  answer: { name: 'vantage_answer', payload: z.object({ run_request_id: z.string() }) },
  /** These agents or API keys were revoked, these sessions ended, or these agents were fenced. */
  revoked: {
    name: 'vantage_revoked',
    payload: z.object({
      agent_nos: numbers.default([]),
      key_nos: numbers.default([]),
      session_nos: numbers.optional(),
    }),
  },
  /** This agent opened a session at a gateway: other gateways end its older sessions. */
  session: { name: 'vantage_session', payload: z.object({ agent_no: z.int() }) },
  /** Events of these accounts were committed. A trigger on the table `events` sends it. */
  events: { name: 'vantage_events', payload: z.object({ account_nos: numbers }) },
  /** These contacts have notifications that are due. */
  notifications: { name: 'vantage_notifications', payload: z.object({ contact_nos: numbers }) },
} as const;

/** The name of a channel in this code. */
export type Channel = keyof typeof channels;

/** The payload of a channel. */
export type Payload<C extends Channel> = z.output<(typeof channels)[C]['payload']>;

/** Undefined when the text is not a payload of the channel. */
export function readPayload<C extends Channel>(channel: C, text: string): Payload<C> | undefined;
export function readPayload(channel: Channel, text: string): Payload<Channel> | undefined {
  return channels[channel].payload.safeParse(parseJson(text)).data;
}

/**
 * PostgreSQL accepts payloads of less than 8,000 bytes. A payload has at most two lists, and a number at most 11
 * characters.
 */
const listedAtOnce = 300;

/**
 * Notifies the subscribers of a channel when the transaction commits (at once when given the plain Kysely). Long lists
 * are sent in several notifications; a payload whose lists are all empty is not sent.
 */
export async function publish<C extends Channel>(
  trx: Kysely<Tables>,
  channel: C,
  ...payloads: readonly Payload<C>[]
): Promise<void> {
  const parts = payloads.flatMap((payload) => inParts(payload).map((part) => JSON.stringify(part)));
  if (parts.length === 0) return;
  await sql`
    select pg_notify(${channels[channel].name}, part) from unnest(${parts}::text[]) as part`.execute(trx);
}

/**
 * Cuts the lists of a payload into parts that fit into a notification. A field that is no list stands in every part.
 * Pure.
 */
export function inParts(payload: object): object[] {
  const fields = Object.entries(payload);
  const lengths = fields.flatMap(([, value]) => (Array.isArray(value) ? [value.length] : []));
  if (lengths.length === 0) return [payload];
  const count = Math.ceil(Math.max(...lengths) / listedAtOnce);
  return Array.from({ length: count }, (_, part) =>
    Object.fromEntries(
      fields.map(([name, value]) => [
        name,
        Array.isArray(value) ? value.slice(part * listedAtOnce, (part + 1) * listedAtOnce) : value,
      ]),
    ),
  );
}
