import { incident, type ServiceMessage } from './service-messages.ts';

/** Messages that tell people or programs that a device is Up again. */
const endings: ReadonlySet<string> = new Set(['device.up', incident.ends]);

/**
 * One line for each end that was said while its device was Down for longer than two minutes. `downForMs` is by what the
 * scene did. `released` are devices that the scene paused or deleted, or whose schedule it took away: their incidents
 * end without an Up. Pure.
 */
export function falseEnds(
  messages: readonly ServiceMessage[],
  {
    downForMs,
    maxMs,
    released,
  }: {
    readonly downForMs: (name: string, atMs: number) => number;
    readonly maxMs: number;
    readonly released: ReadonlySet<string>;
  },
): string[] {
  return messages
    .filter(({ what, about }) => endings.has(what) && !released.has(about))
    .filter(({ about, atMs }) => downForMs(about, atMs) > maxMs)
    .map(
      ({ contact, what, about, atMs }) =>
        `FALSE END: ${contact} ${what} ${about} after ${(downForMs(about, atMs) / 1000).toFixed(1)} s Down`,
    );
}

/**
 * One line for each incident that is open although nothing is wrong any more, and for each end without a begin. Pure.
 */
export function openIncidents(messages: readonly ServiceMessage[]): string[] {
  const latest = new Map<string, ServiceMessage>();
  const orphans: string[] = [];
  for (const message of messages.filter(({ key }) => key !== '')) {
    const place = `${message.contact} ${message.key}`;
    if (message.what === incident.ends && latest.get(place) === undefined)
      orphans.push(`${message.contact}: an incident about ${message.about} ends that never began`);
    latest.set(place, message);
  }
  const open = [...latest.values()].filter(({ what }) => what !== incident.ends);
  return [
    ...orphans,
    ...open.map(({ contact, about }) => `${contact}: the incident about ${about} stays open`),
  ];
}

/** One line for each id that a service got and accepted more than once. Pure. */
export function acceptedTwice(messages: readonly ServiceMessage[]): string[] {
  const seen = new Set<string>();
  return messages.flatMap(({ contact, what, about, id }) => {
    const place = `${contact} ${id} ${what} ${about}`;
    if (!seen.has(place)) {
      seen.add(place);
      return [];
    }
    return [`${contact}: ${what} ${about} was accepted twice (${id})`];
  });
}
