import { crc32 } from 'node:zlib';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { OutboxRecordSchema } from '@vantage/proto';

const dayUs = 86_400_000_000;

/**
 * The microseconds by which recorded times are moved, so that the recording is less than a day old. They are whole
 * days, so hours, days, partitions and the agent's due times stay the same.
 */
export function shiftFor(recordedUs: number, nowUs: number): number {
  return Math.floor((nowUs - recordedUs) / dayUs) * dayUs;
}

/** Microseconds since 1970 between 2023 and 2033; no other number of the data is so large. */
const momentUs = /(?<![\w.])1[6-9]\d{14}(?![\w.])/g;
const date = /(?<!\d)(20\d\d-\d\d-\d\d)(?=[T ]\d\d:\d\d)/g;
/** A check's id holds its start: see `checkId` of the controller. */
const checkId = /(?<![0-9a-f])(0{8}[0-9a-f]{8})(000[5-7][0-9a-f]{12})(0{8}[0-9a-f]{8})(?![0-9a-f])/g;

/** Moves every time in a JSON text: numbers of microseconds, dates of timestamps, check ids. */
export function shiftText(text: string, byUs: number): string {
  return text
    .replaceAll(momentUs, (found) => String(Number(found) + byUs))
    .replaceAll(date, (found) => new Date(Date.parse(found) + byUs / 1000).toISOString().slice(0, 10))
    .replaceAll(
      checkId,
      (_all, device: string, start: string, agent: string) =>
        device + (Number.parseInt(start, 16) + byUs).toString(16).padStart(16, '0') + agent,
    );
}

const headBytes = 18;

/**
 * Moves the times in a segment file of an agent's outbox. A frame, big-endian: u16 mark, u32 index, u32 results, u32
 * length, u32 crc32 of all but the mark, payload (an OutboxRecord).
 */
export function shiftSegment(file: Buffer, byUs: number): Buffer {
  return Buffer.concat(
    framesOf(file).map(({ head, payload }) => {
      const record = fromBinary(OutboxRecordSchema, payload);
      shiftMessage(reflect(OutboxRecordSchema, record), BigInt(byUs));
      return frameOf(head, toBinary(OutboxRecordSchema, record));
    }),
  );
}

/** The records of a segment file. */
export function recordsOf(file: Buffer) {
  return framesOf(file).map(({ payload }) => fromBinary(OutboxRecordSchema, payload).record);
}

function framesOf(file: Buffer): { head: Buffer; payload: Buffer }[] {
  const frames = [];
  for (let at = 0; at < file.length; ) {
    const end = at + headBytes + file.readUInt32BE(at + 10);
    frames.push({ head: file.subarray(at, at + headBytes), payload: file.subarray(at + headBytes, end) });
    at = end;
  }
  return frames;
}

function frameOf(head: Buffer, payload: Uint8Array): Buffer {
  const frame = Buffer.concat([head, payload]);
  frame.writeUInt32BE(payload.length, 10);
  frame.writeUInt32BE(crc32(payload, crc32(frame.subarray(2, 14))), 14);
  return frame;
}

function shiftMessage(message: ReflectMessage, by: bigint): void {
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    if (field.fieldKind === 'message') shiftMessage(message.get(field), by);
    if (field.fieldKind !== 'scalar' || !field.name.endsWith('_us')) continue;
    const value = message.get(field);
    // Offsets and durations are small.
    if (typeof value === 'bigint' && value > 1_600_000_000_000_000n) message.set(field, value + by);
  }
}

/** Moves the times in a file of the agent that is JSON behind a checksum: u32 crc32 of the rest, big-endian. */
export function shiftChecked(file: Buffer, byUs: number): Buffer {
  const text = Buffer.from(shiftText(file.toString('utf8', 4), byUs));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(crc32(text));
  return Buffer.concat([head, text]);
}
