/** The names of code points: RFC 2474, 2597, 3246, 5865 and 8622. */
const named: Readonly<Record<string, number>> = { BE: 0, LE: 1, VA: 44, EF: 46 };

/** `DSCP` as a number from 0 to 63, or as a name. */
export const dscpPattern = /^([0-9]|[1-5][0-9]|6[0-3]|BE|LE|VA|EF|CS[0-7]|AF[1-4][1-3])$/;

/** The code point of a text that fits `dscpPattern`. Pure. */
export function dscpOf(text: string): number {
  const known = named[text];
  if (known !== undefined) return known;
  const selector = /^CS(\d)$/.exec(text)?.[1];
  if (selector !== undefined) return Number(selector) * 8;
  const forwarding = /^AF(\d)(\d)$/.exec(text);
  return forwarding === null ? Number(text) : Number(forwarding[1]) * 8 + Number(forwarding[2]) * 2;
}
