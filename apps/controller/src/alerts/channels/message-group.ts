import type { Notice } from './channel.ts';

/** The number of messages of each kind, open ones first: `7 messages: 5 Down, 2 Up again`. */
export function countsOf(notices: readonly Notice[]): string {
  const counts = Map.groupBy(worstFirst(notices), ({ kind }) => kind);
  const parts = [...counts].map(([kind, messages]) => `${messages.length} ${counted.get(kind) ?? kind}`);
  return `${notices.length} messages: ${parts.join(', ')}`;
}

/** Words for the kinds that often come in groups. */
const counted = new Map([
  ['device.down', 'Down'],
  ['device.up', 'Up again'],
  ['device.flapping', 'flapping'],
]);

const severities: readonly unknown[] = ['critical', 'warning', 'info'];

/** Orders messages: open ones first, then by severity, otherwise stable. Pure. */
export function worstFirst(notices: readonly Notice[]): readonly Notice[] {
  const rank = ({ data, links }: Notice) => {
    const index = severities.indexOf(data['Severity']);
    return (links === null ? 3 : 0) + Math.max(0, index);
  };
  return notices.toSorted((a, b) => rank(a) - rank(b));
}

/** The link that acknowledges all alerts of the message; undefined: there is none. */
export function acknowledgeAllOf(notices: readonly Notice[]): string | undefined {
  return notices.find(({ links }) => links?.acknowledgeAll !== undefined)?.links?.acknowledgeAll;
}
