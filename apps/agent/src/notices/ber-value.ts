/** A value of BER (X.690): its tag, its content, and where the next one begins. */
export interface BerValue {
  readonly tag: number;
  readonly content: Buffer;
  /** The length of tag and length. */
  readonly headBytes: number;
  readonly next: number;
}

/** Lengths of more bytes are no SNMP. */
const maxLengthBytes = 3;

/** The value at a position; undefined: it is malformed, or longer than the bytes. Pure. */
export function berAt(bytes: Buffer, at: number): BerValue | undefined {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) return undefined;
  const extra = first < 0x80 ? 0 : first - 0x80;
  if (extra > maxLengthBytes || first === 0x80 || at + 2 + extra > bytes.length) return undefined;
  const length = extra === 0 ? first : bytes.readUIntBE(at + 2, extra);
  const start = at + 2 + extra;
  const next = start + length;
  if (next > bytes.length) return undefined;
  return { tag, content: bytes.subarray(start, next), headBytes: 2 + extra, next };
}

/** The values inside of a content, at most `max`; undefined: one is malformed. Pure. */
export function berList(content: Buffer, max: number): readonly BerValue[] | undefined {
  const values: BerValue[] = [];
  for (let at = 0; at < content.length && values.length < max; ) {
    const value = berAt(content, at);
    if (value === undefined) return undefined;
    values.push(value);
    at = value.next;
  }
  return values;
}

/** A whole number of at most 6 bytes; undefined: it is longer, or empty. Pure. */
export function berInteger({ content }: BerValue): number | undefined {
  return content.length === 0 || content.length > 6 ? undefined : content.readIntBE(0, content.length);
}

/** An object identifier as numbers with dots, at most 128 of them; undefined: it is malformed. Pure. */
export function berOid({ content }: BerValue): string | undefined {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of content) {
    number = number * 128 + (byte & 0x7f);
    if (number > 0xffff_ffff || numbers.length > 128) return undefined;
    if (byte >= 0x80) continue;
    const first = Math.min(2, Math.floor(number / 40));
    if (numbers.length === 0) numbers.push(first, number - 40 * first);
    else numbers.push(number);
    number = 0;
  }
  return numbers.length === 0 ? undefined : numbers.join('.');
}
