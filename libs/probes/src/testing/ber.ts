// BER by hand, for servers of tests: they must not share a fault of the library that the probe uses.

/** The place of the content of a BER value. */
export interface Content {
  readonly start: number;
  readonly end: number;
}

export function contentOf(bytes: Buffer, at: number): Content {
  const length = bytes.readUInt8(at + 1);
  const extra = length < 0x80 ? 0 : length - 0x80;
  const start = at + 2 + extra;
  return { start, end: start + (extra === 0 ? length : bytes.readUIntBE(at + 2, extra)) };
}

export function tlv(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

export function encodeInteger(tag: number, value: number | bigint): Buffer {
  const number = BigInt(value);
  if (number >= -128n && number < 128n) return Buffer.from([tag, 1, Number(number & 0xffn)]);
  let length = 1;
  while (BigInt.asIntN(length * 8, number) !== number) length += 1;
  const hex = BigInt.asUintN(length * 8, number)
    .toString(16)
    .padStart(length * 2, '0');
  return Buffer.from([tag, length, ...Buffer.from(hex, 'hex')]);
}

export function encodeOid(oid: string): Buffer {
  const [first = 0, second = 0, ...rest] = oid.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((number) => {
    const groups = [number % 128];
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128))
      groups.unshift((left % 128) + 128);
    return groups;
  });
  return tlv(0x06, Buffer.from(bytes));
}

export function decodeOid(bytes: Buffer): string {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of bytes) {
    number = number * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (numbers.length === 0) numbers.push(Math.min(2, Math.floor(number / 40)), number % 40);
    else numbers.push(number);
    number = 0;
  }
  return numbers.join('.');
}
