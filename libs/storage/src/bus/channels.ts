import { parseJson } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../schema/tables.ts';

const numbers = z.array(z.int()).readonly();

/** The NOTIFY channels with their names in the database and payloads. Controllers of other versions use them, too. */
export const channels = {
  /** Devices, Locations or agents of these Locations changed, so they must be planned again. */
  catalog: { name: 'vantage_catalog', payload: z.object({ location_nos: numbers }) },
  /** The assignments of these agents changed, or the secrets that the assignments contain. */
  plan: { name: 'vantage_plan', payload: z.object({ agent_nos: numbers }) },
  /** A run request for this agent is open. */
  runRequest: { name: 'vantage_run_request', payload: z.object({ agent_no: z.int() }) },
  /** The check of this run request is stored. */
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
  /** Settings of the installation changed. */
  settings: { name: 'vantage_settings', payload: z.object({}) },
  /** These contacts have notifications that are due. */
  notifications: { name: 'vantage_notifications', payload: z.object({ contact_nos: numbers }) },
} as const;

export type BusChannel = keyof typeof channels;

export type BusPayload<C extends BusChannel> = z.output<(typeof channels)[C]['payload']>;

/** Undefined when the text is not a payload of the channel. */
export function readPayload<C extends BusChannel>(channel: C, text: string): BusPayload<C> | undefined;
export function readPayload(channel: BusChannel, text: string): BusPayload<BusChannel> | undefined {
  return channels[channel].payload.safeParse(parseJson(text)).data;
}

/**
 * PostgreSQL accepts payloads of less than 8,000 bytes. A payload has at most two lists, and a number at most 11
 * characters.
 */
const maxListLength = 300;

/**
 * Notifies the subscribers of a channel when the transaction commits (immediately with the plain Kysely). Long lists
 * are split into several notifications; a payload whose lists are all empty is not sent.
 */
export async function publish<C extends BusChannel>(
  trx: Kysely<Tables>,
  channel: C,
  ...payloads: readonly BusPayload<C>[]
): Promise<void> {
  const parts = payloads.flatMap((payload) => inParts(payload).map((part) => JSON.stringify(part)));
  if (parts.length === 0) return;
  await sql`
    select pg_notify(${channels[channel].name}, part) from unnest(${parts}::text[]) as part`.execute(trx);
}

/** Splits the lists of a payload into parts that fit into a notification. Every part has all other fields. Pure. */
export function inParts(payload: object): object[] {
  const fields = Object.entries(payload);
  const lengths = fields.flatMap(([, value]) => (Array.isArray(value) ? [value.length] : []));
  if (lengths.length === 0) return [payload];
  const count = Math.ceil(Math.max(...lengths) / maxListLength);
  return Array.from({ length: count }, (_, part) =>
    Object.fromEntries(
      fields.map(([name, value]) => [
        name,
        Array.isArray(value) ? value.slice(part * maxListLength, (part + 1) * maxListLength) : value,
      ]),
    ),
  );
}
