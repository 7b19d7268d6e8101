import type { Db } from '../../platform/db/index.ts';
import { createZone } from '../../rest/http/zone.ts';
import type { EventFeed } from './event-feed.ts';
import { showEvent } from './event-routes.ts';
import { listEventsAfter, readAccountsBetween } from './event-store.ts';

/** Which events are read. */
interface EventAsk {
  readonly accountNo: number;
  readonly timezone: string;
  readonly afterNo: number;
  readonly upToNo: number;
  readonly limit: number;
  /** Undefined: all. */
  readonly types: readonly string[] | undefined;
  /** Events of devices that have one of these tags; undefined: all. */
  readonly tagNos: readonly number[] | undefined;
}

/** How hooks and mails about status pages follow and read events: in their order, in the words of GET /events. */
export function createEventSource(db: Db, feed: EventFeed) {
  return {
    follow: (accountNo: number) => feed.follow(accountNo),
    accountsBetween: (afterNo: number, upToNo: number, types?: readonly string[]) =>
      readAccountsBetween(db, afterNo, upToNo, types),
    async read({ accountNo, timezone, types, tagNos, ...range }: EventAsk) {
      const filter = { types, tagNos, locationNos: undefined, deviceNos: undefined };
      const rows = await listEventsAfter(db, accountNo, { ...range, filter });
      const zone = createZone(timezone);
      return rows.map((row) => {
        const record = showEvent(row, zone);
        return { no: row.event_no, id: row.event_id, type: row.type, timestamp: record.Timestamp, record };
      });
    },
  };
}
