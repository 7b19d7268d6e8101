import type { Mail } from './fake-mail-server.ts';

/** The words in which an e-mail says what happened. */
const titles: readonly (readonly [RegExp, string])[] = [
  [/^Location (\S+) is offline/, 'location.offline'],
  [/^Location (\S+) is online again/, 'location.online'],
  [/^Anchor (\S+) is Down/, 'anchor.down'],
  [/^Anchor (\S+) is Up again/, 'anchor.up'],
  [/^(\S+) is Down/, 'device.down'],
  [/^(\S+) is Up again/, 'device.up'],
  [/^(\S+) (?:is no longer slow|works from all Locations again)/, 'device.up'],
  [/^(\S+) flaps(?::| and is Down)/, 'device.flapping'],
  [/^Contact (\S+) cannot be reached/, 'contact.failing'],
  [/^Contact (\S+) can be reached again/, 'contact.recovered'],
  [/^The alert about (\S+) is closed/, 'closed'],
  [/^A clock of (\S+) is wrong/, 'clock.wrong'],
  [/^The clocks of (\S+) agree again/, 'clock.right'],
  [/^The disk of (\S+) is nearly full/, 'disk.low'],
  [/^The backup of (\S+) is missing or too old/, 'backup.old'],
  [/^(\d+) past outages?/, 'late.summary'],
  [/^(Test) message/, 'test'],
];

/** The messages in an e-mail, as `<kind> <subject>`: one, or one for each line of a grouped e-mail. */
export function messagesOf({
  subject,
  text,
  recorded,
}: Pick<Mail, 'subject' | 'text' | 'recorded'>): string[] {
  if (recorded !== undefined) return [recorded];
  const lines = text.split('\n');
  const isGrouped = /^\d+ messages: /.test(subject);
  const found = (isGrouped ? lines : lines.slice(0, 1)).flatMap(kindOf);
  return found.length > 0 ? found : [`unknown ${subject}`];
}

/** The names in an e-mail. */
export function namedIn(mail: Mail): string[] {
  return messagesOf(mail).map((message) => message.slice(message.indexOf(' ') + 1));
}

/** The number of messages that a grouped e-mail counts and does not name. */
export function leftOutOf({ text, recorded }: Pick<Mail, 'text' | 'recorded'>): number {
  if (recorded !== undefined) return 0;
  return Number(/^and (\d+) more/m.exec(text)?.[1] ?? 0);
}

function kindOf(line: string): string[] {
  for (const [pattern, kind] of titles) {
    const [, name] = pattern.exec(line) ?? [];
    if (name !== undefined) return [`${kind} ${name}`];
  }
  return [];
}
