import { create, toBinary } from '@bufbuild/protobuf';
import { messageBytes } from '@vantage/domain';
import { threadCpuMs } from '@vantage/kernel/testing';
import { ConnectRequestSchema } from '@vantage/proto';
import { describe, expect, test } from 'vitest';
import { createMessageGate } from './message-gate.ts';
import { firstMessageBytes, freeBytes, type MessageRules } from './message-memory.ts';
import { messageFields, shapeOf } from './message-shape.ts';

function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function batchOf(records: number): Uint8Array {
  const value = { batchId: 1n, records: Array.from({ length: records }, () => ({})) };
  return toBinary(ConnectRequestSchema, create(ConnectRequestSchema, { message: { case: 'batch', value } }));
}

/** A message of exactly this length: one field of bytes that nobody knows. */
function messageOf(bytes: number): Uint8Array {
  const message = Buffer.alloc(bytes);
  const content = bytes - 6;
  message.set([
    0x7a,
    (content & 0x7f) | 0x80,
    ((content >> 7) & 0x7f) | 0x80,
    ((content >> 14) & 0x7f) | 0x80,
  ]);
  message.set([((content >> 21) & 0x7f) | 0x80, content >> 28], 4);
  return message;
}

/** These bytes as the result of a record of a batch. */
function nested(result: Buffer): Buffer {
  return [0x0a, 0x12, 0x1a].reduce((inner, tag) => {
    const length: number[] = [];
    for (let left = inner.length; length.length === 0 || left > 0; left >>= 7)
      length.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    return Buffer.concat([Buffer.of(tag, ...length), inner]);
  }, result);
}

async function pass(parts: readonly Uint8Array[], rules?: Partial<MessageRules>) {
  const gate = createMessageGate();
  if (rules) gate.admit({ maxBytes: messageBytes, claim: async () => ({ [Symbol.dispose]() {} }), ...rules });
  let read = 0;
  async function* body() {
    for (const part of parts) {
      read += part.length;
      yield part;
    }
  }
  const passed: Uint8Array[] = [];
  try {
    for await (const chunk of gate.pass(body())) passed.push(chunk);
    return { passed: Buffer.concat(passed), read, error: undefined };
  } catch (error) {
    return { passed: Buffer.concat(passed), read, error: String(error) };
  }
}

describe('messages that pass to the decoder', () => {
  test('messages pass unchanged, however they were cut', async () => {
    const bytes = Buffer.concat([framed(batchOf(3)), framed(batchOf(500)), framed(new Uint8Array())]);
    const cut = [...bytes].map((byte) => Buffer.of(byte));
    expect((await pass(cut)).passed).toEqual(bytes);
    expect((await pass([bytes])).passed).toEqual(bytes);
  });

  test.each([
    ['a first message', firstMessageBytes, undefined],
    ['a later one', messageBytes, {}],
  ])('%s may have its limit and no byte more', async (_what, most, rules) => {
    expect((await pass([framed(messageOf(most))], rules)).error).toBeUndefined();
    const prefix = framed(messageOf(most + 1)).subarray(0, 5);
    const refusal = await pass([prefix, messageOf(most + 1)], rules);
    expect(refusal.error).toContain(`${most} are the most`);
    expect(refusal.read).toBe(5);
  });

  test('a batch of 501 records is refused before it is decoded, also one in two parts', async () => {
    const twoParts = Buffer.concat([batchOf(250), batchOf(251)]);
    for (const message of [batchOf(501), twoParts])
      expect((await pass([framed(message)])).error).toContain('a batch of 501 records');
    expect(shapeOf(Buffer.concat([batchOf(250), batchOf(250)])).records).toBe(500);
  });

  test.each([
    ['a million Hellos in one message', Buffer.alloc(2_000_000, Buffer.of(0x0a, 0x00))],
    ['a result whose field comes a million times', nested(Buffer.alloc(2_000_000, Buffer.of(0x08, 0x01)))],
    ['a million fields that nobody knows', Buffer.alloc(3_000_000, Buffer.of(0xf8, 0x01, 0x01))],
  ])('%s is refused after the first of them', async (_what, message) => {
    expect((await pass([framed(message)], {})).error).toContain(`more than ${messageFields} fields`);
    expect(await threadCpuMs(100, () => pass([framed(message)], {}))).toBeLessThan(100);
  });

  test('bytes that are no message are refused', async () => {
    expect((await pass([framed(Buffer.of(0x1a, 0xff, 0xff, 0xff, 0x7f))])).error).toContain('not a message');
  });

  test('a long message is read only once it has its share of the memory, and gives it back', async () => {
    let held = 0;
    const asked: number[] = [];
    const claim = async (bytes: number) => {
      asked.push(bytes);
      held += bytes;
      const giveBack = () => {
        held -= bytes;
      };
      return { [Symbol.dispose]: giveBack };
    };
    const sizes = [freeBytes, freeBytes + 1, 1_000_000];
    await pass(
      sizes.map((size) => framed(messageOf(size))),
      { claim },
    );
    expect(asked).toEqual(sizes.slice(1));
    expect(held).toBe(0);
  });
});
