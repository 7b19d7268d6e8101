import type { DescMessage } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { kibibyte, mebibyte } from '@vantage/domain';
import { BatchSchema, ConnectRequestSchema } from '@vantage/proto';

/** A stream's first message, which is its Hello, bytes. */
export const firstMessageBytes = 64 * kibibyte;
/** Any later message, bytes. */
export const messageBytes = 4 * mebibyte;
/** The same for agents of version 0.1.0: they cut their batches by records only. */
export const earlyMessageBytes = 32 * mebibyte;
/** Messages up to this size are read without waiting for a share of the memory, bytes. */
export const freeBytes = 64 * kibibyte;
/** Records of one batch. */
export const batchRecords = 500;

/** How long a message of an agent of this version may be, bytes. */
export function messageBytesOf(version: string): number {
  return version === '0.1.0' ? earlyMessageBytes : messageBytes;
}

/** Fields of one message, those of messages within it included: 500 records have a third of this. */
export const messageFields = 32_768;

/** What a message would become in memory. */
export interface MessageShape {
  /** Records of its batch. */
  readonly records: number;
  /** Fields, nested ones included; counted until `messageFields` is passed. */
  readonly fields: number;
}

/**
 * Counts the records and fields of an encoded ConnectRequest without decoding it: four bytes on the wire can become hundreds in memory,
 * and a field that is there a million times is merged a million times (Protocol Buffers encoding, "Last One Wins"). Throws on what is
 * no message of Protocol Buffers.
 */
export function shapeOf(message: Uint8Array): MessageShape {
  const recordsField = BatchSchema.field.records;
  let records = 0;
  let fields = 0;
  const walk = (bytes: Uint8Array, schema: DescMessage) => {
    const nested = nestedOf(schema);
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len && fields <= messageFields) {
      const [fieldNo, wireType] = reader.tag();
      fields += 1;
      const inner = nested.get(fieldNo);
      if (inner === undefined || wireType !== WireType.LengthDelimited) {
        reader.skip(wireType, fieldNo);
        continue;
      }
      if (inner === recordsField.message) records += 1;
      walk(reader.bytes(), inner);
    }
  };
  walk(message, ConnectRequestSchema);
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
