import { z } from 'zod';

/**
 * The schema of a text of `min` to `max` characters. After a failed `.max`, zod still runs the chained patterns, on a
 * text of any length; here the length is checked first, and a failure ends the check. Use it for every text from
 * outside.
 */
export function boundedText(max: number, min = 0): z.ZodString {
  const text = z.string().max(max, { abort: true });
  return min === 0 ? text : text.min(min);
}

const controls = String.raw`\x00-\x1f\x7f-\x9f`;

/**
 * A text of at least one character without control characters (Unicode's Cc). The OpenAPI document shows this pattern
 * to generated clients, so it uses no syntax that some languages lack: Python does not compile `\p{…}`.
 */
export const withoutControls = new RegExp(`^[^${controls}]+$`);
