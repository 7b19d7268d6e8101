import type { Schemas } from '@vantage/client';

type Event = Pick<Schemas['Event'], 'device_id' | 'Type' | 'Timestamp' | 'CheckResult'>;

/** An event in a short list, where an outage has one line. */
export interface EventLine<E extends Event> {
  readonly event: E;
  /** The Down of the outage that this event ended, which has no line of its own. */
  readonly ended: E | undefined;
}

/**
 * Puts the events of an outage into one line: a first error is part of what it became, and a Down is part of the Up
 * that ended it. `events` are newest first.
 */
export function eventLines<E extends Event>(events: readonly E[]): readonly EventLine<E>[] {
  /** The line of a device that an older event of it may still belong to. */
  const open = new Map<string, { readonly at: number; readonly type: string }>();
  const lines: EventLine<E>[] = [];
  for (const event of events) {
    const { device_id: id, Type } = event;
    const newer = id === null ? undefined : open.get(id);
    if (id !== null && newer !== undefined) {
      const line = lines[newer.at];
      if (Type === 'Down' && newer.type === 'Up' && line !== undefined) {
        lines[newer.at] = { ...line, ended: event };
        open.set(id, { at: newer.at, type: 'Down' });
        continue;
      }
      if (
        Type === 'Error' &&
        (newer.type === 'Down' || newer.type === 'Recovered' || newer.type === 'Partial')
      ) {
        open.delete(id);
        continue;
      }
    }
    if (id !== null && /^(Up|Down|Recovered|Partial)$/.test(Type))
      open.set(id, { at: lines.length, type: Type });
    else if (id !== null && Type === 'Unknown') open.delete(id);
    lines.push({ event, ended: undefined });
  }
  return lines;
}
