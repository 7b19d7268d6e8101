import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';
import { type Channel, channels, type Payload } from './channels.ts';

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
