import { z } from 'zod';

/**
 * A text of `least` to `most` characters whose length is judged before anything else. zod goes on after a failed
 * `.max`, so a pattern chained to it runs on a text of any length; after this one it does not. Every text that comes
 * from outside begins with it.
 */
export function boundedText(most: number, least = 0): z.ZodString {
  const text = z.string().max(most, { abort: true });
  return least === 0 ? text : text.min(least);
}

const controls = String.raw`\x00-\x1f\x7f-\x9f`;

/**
 * A text of at least one character without control characters (Unicode's Cc), in a form that the regular expressions of
 * all languages have: the OpenAPI document shows it to generated clients, and Python does not compile `\p{…}`.
 */
export const withoutControls = new RegExp(`^[^${controls}]+$`);
