import type { Notice } from './channel.ts';
import { worstFirst } from './message-group.ts';
import { lineOf } from './message-headline.ts';

/** A mail names at most this many notices of a group and counts the others. */
const maxNamed = 50;

/**
 * Bytes of their lines: encoded for mail and escaped for HTML they stay below 90 kB, where Gmail cuts a mail at 102 kB.
 */
const maxNamedBytes = 9_000;

/** The notices of a group that a mail names, the worst first. Pure. */
export function namedInMail(notices: readonly Notice[]): readonly Notice[] {
  let left = maxNamedBytes;
  return worstFirst(notices)
    .slice(0, maxNamed)
    .filter((notice) => {
      left -= Buffer.byteLength(lineOf(notice));
      return left >= 0;
    });
}
