export { createEventFeed } from './event-feed.ts';

import type { Db } from '../db/index.ts';
import { readEventsOf } from './event-routes.ts';
import { readAccountsBetween } from './event-store.ts';

/** How hooks and mails about status pages read events. */
export function eventSource(db: Db) {
  return {
    read: readEventsOf(db),
    accountsBetween: (afterNo: number, upToNo: number) => readAccountsBetween(db, afterNo, upToNo),
  };
}
