import { Code, ConnectError } from '@connectrpc/connect';
import { batchRecords } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import { firstMessageBytes, freeBytes, type MessageRules } from './message-memory.ts';
import { messageFields, shapeOf } from './message-shape.ts';

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

/** Reads exact numbers of bytes from a stream of chunks; undefined when it ended before. Buffers one chunk. */
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
