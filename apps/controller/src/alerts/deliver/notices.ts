import { acknowledgeableKinds, deviceStateKinds, turnOf } from '@vantage/alerts';
import type { Json } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../../platform/db/index.ts';
import { createZone } from '../../rest/http/zone.ts';
import type { Channel, DayPart, Message, Notice } from './channels/channel.ts';
import type { FreeRow } from './claim-store.ts';
import { placeholderOfAll, placeholders } from './links.ts';
import { updatedUs } from './record.ts';

/** Notifications that leave in one message. */
interface NoticeGroup {
  readonly leader: FreeRow;
  readonly members: readonly FreeRow[];
  readonly contact: { readonly timezone: string };
  readonly channel: Channel;
  readonly nowUs: number;
  /** The message is a summary of what waited so many seconds. */
  readonly waitedS?: number;
}

/** The last day of a device of the account; null when it does not exist. */
export type ReadDay = (deviceId: string, nowUs: number) => Promise<readonly DayPart[] | null>;

/** The last day of the device that the message is about, where the message shows it. */
export async function dayOf({ leader, members, channel, nowUs }: NoticeGroup, readDay: ReadDay) {
  const { device_id: deviceId } = showFacts(leader.data, String);
  const showsDay = channel.showsDay && members.length === 0 && typeof deviceId === 'string';
  return showsDay ? readDay(deviceId, nowUs) : null;
}

/** Returns the notice for each notification of a message. Throws where stored facts cannot be shown. */
export function noticesOf(
  { leader, members, contact, nowUs, waitedS }: NoticeGroup,
  day: readonly DayPart[] | null,
): readonly Notice[] {
  const zone = createZone(contact.timezone);
  const waited: { readonly [name: string]: Json } = waitedS === undefined ? {} : { Waited: waitedS };
  const id = leader.notification_id;
  const isMany = new Set([leader, ...members].filter(isAcknowledgeable).map((row) => row.alert_no)).size > 1;
  const all = isMany ? { acknowledgeAll: placeholderOfAll(id, leader.notification_no) } : {};
  return latestOfEach([leader, ...members]).map((row) => {
    const data = { ...showFacts(row.data, (us) => zone.format(us)), ...waited };
    const own = linksOf(id, row, data['alert_id']);
    const links = own === null ? null : { ...own, ...all };
    return {
      kind: row.kind,
      timestamp: zone.format(row.at_us),
      composed: zone.format(nowUs),
      timezone: zone.name,
      data,
      links,
      day,
    };
  });
}

/** A contact; another `updated_us` means that it was edited, and may be another chat. */
interface RepliedContact {
  readonly updated_us: number;
}

const storedReply = z.object({ reply: z.object({ to: z.string(), contactUs: z.number() }) });

/**
 * The one message that a message of these alerts answers, given the first message that its receiver got of each alert.
 * A message of several alerts answers one only where that one was the first of all of them; null: it answers none.
 * Pure.
 */
export function answeredBy(
  alertNos: readonly (number | null)[],
  firsts: ReadonlyMap<number, string>,
): string | null {
  const answered = new Set(alertNos.map((no) => (no === null ? undefined : firsts.get(no))));
  const [one] = answered;
  return answered.size === 1 && one !== undefined ? one : null;
}

/** The message with what it replies to. It is stored with the message, so that every attempt replies to the same. */
export async function withReply(
  trx: Kysely<Tables>,
  message: Message,
  ask: {
    readonly rows: readonly Pick<FreeRow, 'alert_no'>[];
    readonly contactNo: number;
    readonly contact: RepliedContact;
  },
): Promise<Message> {
  const { rows, contactNo, contact } = ask;
  const alertNos = [...new Set(rows.map((row) => row.alert_no))];
  const to = answeredBy(alertNos, await firstMessages(trx, contactNo, alertNos));
  return to === null ? message : { ...message, reply: { to, contactUs: contact.updated_us } };
}

/** The message to which a stored message replies; null: none, or the contact was edited since. */
export function replyOf(message: unknown, contact: RepliedContact): string | null {
  const { reply } = storedReply.safeParse(message).data ?? {};
  return reply !== undefined && reply.contactUs === contact.updated_us ? reply.to : null;
}

async function firstMessages(
  trx: Kysely<Tables>,
  contactNo: number,
  alertNos: readonly (number | null)[],
): Promise<ReadonlyMap<number, string>> {
  const nos = alertNos.filter((no) => no !== null);
  if (nos.length === 0) return new Map();
  const { rows } = await sql<{ alert_no: number; receiver_message: string }>`
    select distinct on (n.alert_no) n.alert_no, n.receiver_message
    from notifications n join contacts c using (contact_no)
    where n.alert_no = any(${nos}::bigint[]) and n.contact_no = ${contactNo} and n.receiver_message is not null
      and n.receiver_contact_us = ${updatedUs}
    order by n.alert_no, n.notification_no`.execute(trx);
  return new Map(rows.map((row) => [row.alert_no, row.receiver_message]));
}

function isAcknowledgeable({ kind, alert_no: alertNo }: FreeRow): boolean {
  return alertNo !== null && acknowledgeableKinds.has(kind);
}

function linksOf(notificationId: string, row: FreeRow, alertId: Json | undefined): Notice['links'] {
  if (typeof alertId !== 'string' || row.alert_no === null || !isAcknowledgeable(row)) return null;
  return placeholders(notificationId, { alertId, alertNo: row.alert_no });
}

/** The fields that decide which notifications of one message say the same. */
interface Sayable {
  readonly alert_no: number | null;
  readonly order_key: string;
  readonly kind: string;
}

/**
 * The notifications that a message of several names: each device once, with its latest state, so that a device that
 * came back meanwhile stands there as Up only. `rows` come in the order in which they were made. Pure.
 *
 * | notification | stands once for each |
 * |---|---|
 * | state of a device (Down, Up, Partial, Slow, flapping) | device |
 * | begin or end of another alert (Location, anchor, contact, installation) | alert |
 * | something else of an alert (certificate, acknowledgement) | alert and kind |
 * | of no alert | notification |
 */
export function latestOfEach<T extends Sayable>(rows: readonly [T, ...T[]]): readonly [T, ...T[]] {
  const latest = new Map<unknown, T>();
  for (const row of rows) {
    const key = keyOf(row);
    // The later one stands at its own place.
    latest.delete(key);
    latest.set(key, row);
  }
  const [first = rows[0], ...rest] = latest.values();
  return [first, ...rest];
}

function keyOf(row: Sayable): unknown {
  if (row.alert_no === null) return row;
  if (deviceStateKinds.has(row.kind)) return row.order_key;
  return turnOf(row.kind) !== undefined ? row.alert_no : `${row.alert_no}/${row.kind}`;
}

/** The facts that are moments: microseconds since 1970 in a row, text in a message. */
const moments: ReadonlySet<string> = new Set([
  'Since',
  'DownSince',
  'Began',
  'Opened',
  'Closed',
  'At',
  'Timestamp',
  'Until',
  'Start',
  'End',
  'NotAfter',
  'SnoozedUntil',
]);

const facts = z.record(z.string(), z.json());

/**
 * The facts of a notification's row as messages show them: moments as text of the account's zone, also inside of lists
 * and objects. A value that is no object is an empty one.
 */
export function showFacts(data: unknown, format: (us: number) => string): { readonly [name: string]: Json } {
  const parsed = facts.safeParse(data);
  return parsed.success ? showObject(parsed.data, format) : {};
}

function showObject(
  value: { readonly [name: string]: Json },
  format: (us: number) => string,
): { readonly [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      moments.has(name) && typeof inner === 'number' && isMoment(inner) ? format(inner) : show(inner, format),
    ]),
  );
}

function show(value: Json, format: (us: number) => string): Json {
  if (Array.isArray(value)) return value.map((each) => show(each, format));
  return isObject(value) ? showObject(value, format) : value;
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A date of JavaScript can be at most this far from 1970. */
function isMoment(us: number): boolean {
  return Math.abs(us) <= 8.64e18;
}
