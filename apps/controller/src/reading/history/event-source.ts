import { createZone } from '@vantage/rest-kit/zone';
import type { Database } from '@vantage/storage';
import type { EventFeed } from './event-feed.ts';
import { showEvent } from './event-fields.ts';
import { listEventsAfter, readAccountsBetween } from './event-store.ts';

/** The events to read. */
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

/** Events for hooks and for mails about status pages: in order, in the form of GET /events. */
export function createEventSource(db: Database, feed: EventFeed) {
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
