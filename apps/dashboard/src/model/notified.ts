import type { Schemas } from '@vantage/client';

type Notification = Pick<
  Schemas['Alert']['Notifications'][number],
  'Name' | 'Kind' | 'State' | 'Attempts' | 'At'
>;

/** The contacts that were notified of an alert, each once. */
export interface Notified {
  readonly delivered: readonly string[];
  /** ISO 8601: when the first of them got it. */
  readonly firstAt: string | undefined;
  readonly waiting: readonly string[];
  readonly failed: readonly string[];
}

/** Messages about the end of an alert or its acknowledgement do not notify a contact of the alert. */
const isOfBegin = (kind: string) => !/^acknowledged$|\.(up|online|back)$/.test(kind);

/** The contacts by the best outcome of their messages: delivered, on the way, failed. Pure. */
export function notifiedOf(notifications: readonly Notification[]): Notified {
  const begin = notifications.filter(({ Kind }) => isOfBegin(Kind));
  const namesIn = (...states: readonly Notification['State'][]) =>
    new Set(begin.filter(({ State }) => states.includes(State)).map(({ Name }) => Name));
  const delivered = namesIn('Delivered');
  const isNew = (name: string) => !delivered.has(name);
  const waiting = [...namesIn('Pending')].filter(isNew);
  const failed = [...namesIn('Failed')].filter((name) => isNew(name) && !waiting.includes(name));
  const times = begin
    .filter(({ State }) => State === 'Delivered')
    .map(({ Attempts, At }) => Attempts.at(-1)?.At ?? At)
    .toSorted((a, b) => Date.parse(a) - Date.parse(b));
  return { delivered: [...delivered], firstAt: times[0], waiting, failed };
}
