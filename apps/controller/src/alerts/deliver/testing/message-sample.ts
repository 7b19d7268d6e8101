import type { Notice } from '../../channels/channel.ts';
import { type Given, notice } from './sample-facts.ts';

/** A message as docs/messages.md shows it. */
export interface MessageSample {
  readonly title: string;
  /** When it is sent. */
  readonly when: string;
  readonly notices: readonly Notice[];
}

/** A sample with one notice. */
export const singleSample = (title: string, when: string, kind: string, given: Given): MessageSample => ({
  title,
  when,
  notices: [notice(kind, given)],
});
