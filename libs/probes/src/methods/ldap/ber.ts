// BER (X.690) as LDAP uses it (RFC 4511 section 5.1): definite lengths, tags of one byte.

/** An element within a message. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

export const berTag = {
  boolean: 0x01,
  integer: 0x02,
  text: 0x04,
  enumerated: 0x0a,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The length of the longest length field that is read: 4 bytes. */
export const maxLengthBytes = 4;

export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
}

export function berText(text: string | Uint8Array, tag: number = berTag.text): Buffer {
  return element(tag, typeof text === 'string' ? Buffer.from(text, 'utf8') : text);
}

/** An integer from 0 to 2^31 - 1. */
export function berInteger(value: number, tag: number = berTag.integer): Buffer {
  const bytes = [value & 0xff];
  for (let rest = value >> 8; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  if ((bytes[0] ?? 0) >= 0x80) bytes.unshift(0);
  return element(tag, Buffer.from(bytes));
}

export function berBoolean(value: boolean): Buffer {
  return element(berTag.boolean, Buffer.of(value ? 0xff : 0));
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = [length & 0xff];
  for (let rest = Math.floor(length / 256); rest > 0; rest = Math.floor(rest / 256))
    bytes.unshift(rest % 256);
  return Buffer.of(0x80 | bytes.length, ...bytes);
}

/** Reads the elements of a content, one after the other. Throws an Error for bytes that are no BER. */
export interface ElementReader {
  readonly isAtEnd: boolean;
  /** The next element; with `tag`, it must have this one. */
  next(tag?: number): Element;
}

export function readElements(bytes: Buffer): ElementReader {
  let at = 0;
  const byte = () => {
    const value = bytes[at];
    if (value === undefined) throw new Error('an element is cut off');
    at += 1;
    return value;
  };
  return {
    get isAtEnd() {
      return at >= bytes.length;
    },
    next(expected) {
      const tag = byte();
      if ((tag & 0x1f) === 0x1f) throw new Error('an element has a long tag');
      let length = byte();
      if (length > 0x7f) {
        const count = length & 0x7f;
        if (count === 0 || count > maxLengthBytes) throw new Error('an element has no usable length');
        length = 0;
        for (let index = 0; index < count; index += 1) length = length * 256 + byte();
      }
      if (length > bytes.length - at) throw new Error('an element is cut off');
      const content = bytes.subarray(at, at + length);
      at += length;
      if (expected !== undefined && tag !== expected)
        throw new Error(`an element has the tag ${tag.toString(16)} instead of ${expected.toString(16)}`);
      return { tag, content };
    },
  };
}

/** The number of an integer or enumerated element of at most 4 bytes. */
export function integerOf({ content }: Element): number {
  if (content.length === 0 || content.length > 4) throw new Error('a number has an unusable length');
  return content.readIntBE(0, content.length);
}
