import { acknowledgeableKinds } from '@vantage/alerts';
import type { Json } from '@vantage/domain';
import { createZone } from '@vantage/rest-kit/zone';
import type { Channel, DayPart, Notice } from '../channels/channel.ts';
import type { FreeRow } from './free-notifications.ts';
import { latestOfEach } from './latest-of-each.ts';
import { placeholderOfAll, placeholders } from './link-placeholders.ts';
import { showFacts } from './show-facts.ts';

/** Notifications that leave in one message. */
interface NoticeGroup {
  readonly leader: FreeRow;
  readonly members: readonly FreeRow[];
  readonly contact: { readonly timezone: string };
  readonly channel: Channel;
  readonly nowUs: number;
  /** The message is a summary of notifications of which the oldest waited for this time, seconds. */
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
    const alertLinks = linksOf(id, row, data['alert_id']);
    const links = alertLinks === null ? null : { ...alertLinks, ...all };
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
