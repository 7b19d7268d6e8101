import type { Mail } from './mail-sink.ts';

/** The messages in an e-mail, as `<kind> <subject>`: one, or one for each line of a grouped e-mail. */
export function messagesOf({ subject }: Mail): string[] {
  return [subject];
}

/** The names in an e-mail. */
export function namedIn(mail: Mail): string[] {
  return messagesOf(mail).map((message) => message.split(' ')[1] ?? '');
}
