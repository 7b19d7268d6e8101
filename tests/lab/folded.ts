/** An e-mail as the messages in it (`device.down dev-1`). */
interface MailMessages {
  readonly messages: readonly string[];
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

const begins: ReadonlySet<string> = new Set(['device.down', 'device.flapping']);

/**
 * The messages of each e-mail, with those that it stands for. An e-mail of several names each device once, with its
 * latest state: an Up in it stands for the Down, too, that was decided at most `maxMs` before and that no e-mail had.
 * `downs` are the Down messages that another contact of the same step got singly. Pure.
 */
export function withFolded(
  mails: readonly MailMessages[],
  {
    downs,
    maxMs,
  }: {
    readonly downs: readonly { readonly about: string; readonly atMs: number }[];
    readonly maxMs: number;
  },
): readonly (readonly string[])[] {
  const latest = new Map<string, string>();
  return mails.map(({ messages, atMs }) =>
    messages.flatMap((message) => {
      const [kind = '', about = ''] = message.split(' ');
      const before = latest.get(about) ?? '';
      latest.set(about, kind);
      const isFolded =
        kind === 'device.up' &&
        messages.length > 1 &&
        !begins.has(before) &&
        downs.some((down) => down.about === about && down.atMs <= atMs && down.atMs >= atMs - maxMs);
      return isFolded ? [`device.down ${about}`, message] : [message];
    }),
  );
}
