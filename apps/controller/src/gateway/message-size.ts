import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { BatchSchema, ConnectRequestSchema } from '@vantage/proto';

const kiB = 1024;
const miB = 1024 * kiB;

/** A stream's first message, which is its Hello, bytes. */
export const firstMessageBytes = 64 * kiB;
/** Any later message, bytes. */
export const messageBytes = 4 * miB;
/** The same for agents of version 0.1.0: they cut their batches by records only. */
export const earlyMessageBytes = 32 * miB;
/** Messages up to this size are read without waiting for a share of the memory, bytes. */
export const freeBytes = 64 * kiB;
/** Records of one batch. */
export const batchRecords = 500;

/** How long a message of an agent of this version may be, bytes. */
export function messageBytesOf(version: string): number {
  return version === '0.1.0' ? earlyMessageBytes : messageBytes;
}

/**
 * Counts the records of an encoded ConnectRequest without decoding them: four bytes on the wire can become hundreds in memory.
 * Throws on what is no message of Protocol Buffers.
 */
export function recordsIn(message: Uint8Array): number {
  const { number: batchNo } = ConnectRequestSchema.field.batch;
  const { number: recordsNo } = BatchSchema.field.records;
  let records = 0;
  // A field that comes twice is merged (Protocol Buffers encoding, "Last One Wins"), so all of them count.
  for (const batch of fieldsOf(message, batchNo))
    for (const _record of fieldsOf(batch, recordsNo)) records += 1;
  return records;
}

function* fieldsOf(message: Uint8Array, wanted: number): Generator<Uint8Array> {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [fieldNo, wireType] = reader.tag();
    if (fieldNo === wanted && wireType === WireType.LengthDelimited) yield reader.bytes();
    else reader.skip(wireType, fieldNo);
  }
}
