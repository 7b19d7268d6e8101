import { clone, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { Code, ConnectError } from '@connectrpc/connect';
import { type AnchorReport, batchRecords, dayUs, kibibyte, messageBytes, mostAnchors } from '@vantage/domain';
import { declareShare, messageOf } from '@vantage/kernel';
import {
  AnchorReport_State,
  BatchSchema,
  ConnectRequestSchema,
  type Heartbeat,
  HeartbeatSchema,
  type Hello,
  HelloSchema,
} from '@vantage/proto';
import { isBigint, isText, toBigint, toReal, toText } from '../../platform/db/index.ts';
import type { AgentStatus } from './agent-presence.ts';
import { createFairSlots } from './fair-slots.ts';
import type { KeyOwner } from './store.ts';

declareShare({
  name: 'memory_of_batches',
  limit: '48 MiB',
  filledBy: 'agents',
  share: '24 MiB an account, 6 MiB an agent; accounts take turns',
});

/** The limits of a stream's messages from now on. */
export interface MessageRules {
  readonly maxBytes: number;
  /** Waits for a share of the memory before a long message is read; `bytes` is its length. */
  readonly claim: (bytes: number) => Promise<Disposable>;
}

/**
 * Stands between the transport and the decoder of one stream. It checks length and number of records before it stores
 * or decodes anything. The flow control of HTTP/2 keeps unread bytes at the sender.
 */
export interface MessageGate {
  /**
   * The stream's bytes as the decoder gets them: whole messages only. Throws a ConnectError for a message that it
   * refuses.
   */
  pass(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  /** Until this is called only a first message passes. */
  admit(rules: MessageRules): void;
  /** The share of the memory that the last message holds; the caller that takes it gives it back. */
  takeShare(): Disposable | undefined;
}

/** A flag byte and the length (gRPC over HTTP/2, "Length-Prefixed-Message"). */
const prefixBytes = 5;

/** Creates the gate of one stream. */
export function createMessageGate(): MessageGate {
  let rules: MessageRules = { maxBytes: firstMessageBytes, claim: async () => ({ [Symbol.dispose]() {} }) };
  let share: Disposable | undefined;
  const giveBack = () => {
    share?.[Symbol.dispose]();
    share = undefined;
  };
  return {
    async *pass(body) {
      const source = createByteSource(body);
      try {
        while (true) {
          const prefix = await source.read(prefixBytes);
          if (prefix === undefined) return;
          const length = prefix.readUInt32BE(1);
          if (length > rules.maxBytes)
            throw refused(`a message of ${length} bytes, and ${rules.maxBytes} are the most`);
          giveBack();
          if (length > freeBytes) share = await rules.claim(length);
          const message = await source.read(length);
          if (message === undefined) return;
          judgeShape(message);
          yield prefix;
          yield message;
        }
      } finally {
        giveBack();
        await source.close();
      }
    },
    admit(next) {
      rules = next;
    },
    takeShare() {
      const taken = share;
      share = undefined;
      return taken;
    },
  };
}

function judgeShape(message: Uint8Array): void {
  const { records, fields } = readShape(message);
  if (records > batchRecords)
    throw refused(`a batch of ${records} records, and ${batchRecords} are the most`);
  if (fields > messageFields) throw refused(`a message of more than ${messageFields} fields`);
}

function readShape(message: Uint8Array) {
  try {
    return shapeOf(message);
  } catch (error) {
    throw new ConnectError(`not a message of this service: ${messageOf(error)}`, Code.InvalidArgument);
  }
}

function refused(what: string): ConnectError {
  return new ConnectError(what, Code.ResourceExhausted);
}

/** Reads so many bytes of a stream of chunks; undefined when it ended before. Holds only these bytes and one chunk. */
function createByteSource(body: AsyncIterable<Uint8Array>) {
  const iterator = body[Symbol.asyncIterator]();
  let rest: Uint8Array = Buffer.alloc(0);
  return {
    async read(count: number): Promise<Buffer | undefined> {
      const parts: Uint8Array[] = [];
      for (let missing = count; missing > 0; ) {
        if (rest.length === 0) {
          const next = await iterator.next();
          if (next.done) return undefined;
          rest = next.value;
        }
        const part = rest.subarray(0, missing);
        rest = rest.subarray(part.length);
        missing -= part.length;
        parts.push(part);
      }
      return Buffer.concat(parts);
    },
    async close() {
      await iterator.return?.();
    },
  };
}

/** Bytes of long messages that are held at one time, from before they are read until their commit. */
const memoryLimits = { inAll: 48 * 1024 * 1024, perAccount: 24 * 1024 * 1024, perAgent: 6 * 1024 * 1024 };

/** The rules for the messages of one stream. Waiting for memory ends with the signal. */
export type MessageMemory = (owner: KeyOwner, signal: AbortSignal) => MessageRules;

/** Creates the memory that the messages of all streams share. */
export function createMessageMemory(): MessageMemory {
  const memory = createFairSlots(memoryLimits);
  return ({ agentNo, accountNo }, signal) => ({
    maxBytes: messageBytes,
    claim: (bytes) => memory.acquire({ accountNo, agentNo, weight: bytes }, signal),
  });
}

/** The most bytes of a stream's first message, its Hello. */
export const firstMessageBytes = 64 * kibibyte;
/** Messages up to this size are read without waiting for a share of the memory, bytes. */
export const freeBytes = 64 * kibibyte;

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

/** Texts of a Hello and of a heartbeat, UTF-16 units. */
const maxTextLength = 100;

/**
 * Why the controller refuses a Hello, with the wire's name of the field; undefined when it accepts it. Checks every
 * field of the wire, so that a new field is bounded before any code reads it. Pure.
 */
export function helloProblem(hello: Hello): string | undefined {
  return scalarsOf(HelloSchema, hello)
    .map(({ field, value }) => problemOf(field.name, value))
    .find((problem) => problem !== undefined);
}

/**
 * A heartbeat whose every field fits a column: a value that is out of range becomes the nearest value in range. Pure.
 */
export function clampHeartbeat(heartbeat: Heartbeat): Heartbeat {
  const clamped = clone(HeartbeatSchema, heartbeat);
  const target = reflect(HeartbeatSchema, clamped);
  for (const { field, value } of scalarsOf(HeartbeatSchema, heartbeat)) target.set(field, nearest(value));
  return clamped;
}

function scalarsOf<D extends DescMessage>(schema: D, message: MessageShape<D>) {
  const source = reflect(schema, message);
  return schema.fields.flatMap((field) =>
    field.fieldKind === 'scalar' ? [{ field, value: source.get(field) }] : [],
  );
}

function problemOf(name: string, value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return isText(value, maxTextLength)
        ? undefined
        : `${name} must be a text of at most ${maxTextLength} characters without NUL`;
    case 'bigint':
      return isBigint(value) ? undefined : `${name} must be below 2^53`;
    case 'number':
      return toReal(value) === value ? undefined : `${name} must be a number that 32 bits hold`;
    default:
      return undefined;
  }
}

function nearest(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return toText(value, maxTextLength);
    case 'bigint':
      return BigInt(toBigint(value));
    case 'number':
      return toReal(value);
    default:
      return value;
  }
}

/** The status of an agent after one more heartbeat; `before` is the status that is not stored yet. Pure. */
export function afterHeartbeat(
  before: AgentStatus | undefined,
  {
    heartbeat,
    receivedUs,
    ...session
  }: {
    readonly agentNo: number;
    readonly sessionId: string;
    readonly heartbeat: Heartbeat;
    readonly receivedUs: number;
  },
): AgentStatus {
  const clamped = clampHeartbeat(heartbeat);
  return {
    ...session,
    lastSeenUs: receivedUs,
    clockOffsetUs: Number(clamped.clockOffsetUs),
    backlogRecords: Number(clamped.backlogRecords),
    latenessP50Ms: clamped.latenessP50Ms,
    latenessP99Ms: clamped.latenessP99Ms,
    checksSkipped: (before?.checksSkipped ?? 0) + clamped.checksSkipped,
    offlineReason: clamped.offlineReason === '' ? null : clamped.offlineReason,
    anchors: reportsOf(heartbeat.anchors, receivedUs),
  };
}

/** Texts of a report, UTF-16 units. A Target is an address with a port. */
const [targetLength, textLength] = [100, 500];
/** A state that lasts longer than this began then, so that its event is not older than the events that are kept. */
const longestUs = dayUs;

/** The reports on anchors, as far as a Location can have so many, each field within its bounds. */
function reportsOf(anchors: Heartbeat['anchors'], receivedUs: number): readonly AnchorReport[] {
  return anchors.slice(0, mostAnchors).map(({ target, state, sinceUs, text }) => ({
    target: toText(target, targetLength),
    state: stateNames[state] ?? 'new',
    sinceUs: Math.min(receivedUs, Math.max(receivedUs - longestUs, toBigint(sinceUs))),
    text: toText(text, textLength),
  }));
}

/** A state that only a later version knows counts as not checked. */
const stateNames: Readonly<Partial<Record<AnchorReport_State, AnchorReport['state']>>> = {
  [AnchorReport_State.ANSWERS]: 'answers',
  [AnchorReport_State.SILENT]: 'silent',
  [AnchorReport_State.UNCHECKED]: 'unchecked',
};
