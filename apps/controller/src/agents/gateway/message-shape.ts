import type { DescMessage } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { BatchSchema, ConnectRequestSchema } from '@vantage/proto';

/** The most fields of one message, nested messages included. A batch of 500 records has a third of this. */
export const messageFields = 32_768;

/** The size of a message after decoding. */
export interface DecodedSize {
  /** Records of its batch. */
  readonly records: number;
  /** Fields, nested ones included; counted until `messageFields` is passed. */
  readonly fields: number;
}

/**
 * Counts the records and fields of an encoded ConnectRequest without decoding it, because four bytes on the wire can
 * become hundreds in memory, and a field that occurs a million times is merged a million times (Protocol Buffers
 * encoding, "Last One Wins"). Throws when the bytes are no message of Protocol Buffers.
 */
export function shapeOf(message: Uint8Array): DecodedSize {
  const recordsField = BatchSchema.field.records;
  let records = 0;
  let fields = 0;
  const reader = new BinaryReader(message);
  const assertBefore = (end: number) => {
    if (reader.pos > end) throw new RangeError('a field is longer than its message');
  };
  /** Skips a field, as `BinaryReader.skip` does, which makes a view of each field. */
  const skip = (wireType: WireType, fieldNo: number) => {
    if (wireType === WireType.Varint) {
      while ((message[reader.pos] ?? 0) >= 0x80) reader.pos += 1;
      reader.pos += 1;
    } else if (wireType === WireType.Bit64) reader.pos += 8;
    else if (wireType === WireType.LengthDelimited) reader.pos = endOfField();
    else reader.skip(wireType, fieldNo);
  };
  const endOfField = () => {
    const length = reader.uint32();
    return reader.pos + length;
  };
  const walk = (end: number, schema: DescMessage) => {
    const nested = nestedOf(schema);
    while (reader.pos < end && fields <= messageFields) {
      const [fieldNo, wireType] = reader.tag();
      fields += 1;
      const inner = nested.get(fieldNo);
      if (inner === undefined || wireType !== WireType.LengthDelimited) {
        skip(wireType, fieldNo);
        assertBefore(end);
        continue;
      }
      if (inner === recordsField.message) records += 1;
      const innerEnd = endOfField();
      if (innerEnd > end) throw new RangeError('a message is longer than the one around it');
      walk(innerEnd, inner);
    }
    assertBefore(end);
  };
  walk(message.length, ConnectRequestSchema);
  return { records, fields };
}

const nestedBySchema = new Map<DescMessage, ReadonlyMap<number, DescMessage>>();

/** The fields of a message that are messages themselves, by their number. */
function nestedOf(schema: DescMessage): ReadonlyMap<number, DescMessage> {
  const known = nestedBySchema.get(schema);
  if (known) return known;
  const nested = new Map(
    schema.fields.flatMap((field) =>
      field.message === undefined ? [] : [[field.number, field.message] as const],
    ),
  );
  nestedBySchema.set(schema, nested);
  return nested;
}
