import { parseJson } from '@vantage/kernel';
import { z } from 'zod';

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
