import { acknowledgeableKinds } from '@vantage/alerts';
import type { Json } from '@vantage/domain';
import { createZone, type Zone } from '../../rest/http/zone.ts';
import type { Channel, DayPart, Notice } from './channels/channel.ts';
import type { FreeRow } from './claim-store.ts';
import { latestOfEach } from './latest-of-each.ts';
import { placeholderOfAll, placeholders } from './link-places.ts';
import { showFacts } from './message-facts.ts';

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
  const zone = zoneOf(contact.timezone);
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

function isAcknowledgeable({ kind, alert_no: alertNo }: FreeRow): boolean {
  return alertNo !== null && acknowledgeableKinds.has(kind);
}

function linksOf(notificationId: string, row: FreeRow, alertId: Json | undefined): Notice['links'] {
  if (typeof alertId !== 'string' || row.alert_no === null || !isAcknowledgeable(row)) return null;
  return placeholders(notificationId, { alertId, alertNo: row.alert_no });
}

/** The account's zone. A damaged name must not keep the account's messages. */
function zoneOf(name: string): Zone {
  try {
    return createZone(name);
  } catch {
    return createZone('UTC');
  }
}
