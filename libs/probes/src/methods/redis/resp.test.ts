import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDialogue } from '../../dialogue/dialogue.ts';
import { listen, runTest } from '../../testing/index.ts';
import { redis } from './redis.ts';
import { type RespReply, readReply, replyText } from './resp.ts';

/** A reply as bytes. */
function bytesOf(reply: RespReply): string {
  switch (reply.kind) {
    case 'null':
      return '$-1\r\n';
    case 'number':
      return `:${reply.text}\r\n`;
    case 'error':
      return `-${reply.text}\r\n`;
    case 'text':
      return `$${Buffer.byteLength(reply.text)}\r\n${reply.text}\r\n`;
    case 'list':
      return `*${reply.items.length}\r\n${reply.items.map(bytesOf).join('')}`;
  }
}

/** Reads replies of a server that sends these bytes. */
async function readBytes(bytes: string, replies = 1): Promise<readonly RespReply[]> {
  await using server = await listen((socket) => void socket.end(bytes));
  const read: RespReply[] = [];
  const probe = {
    ...redis,
    run: async (...[context, target]: Parameters<typeof redis.run>) => {
      const connection = await context.dial.connect(context, { host: target.host, port: target.port });
      using dialogue = openDialogue(context, connection);
      for (let i = 0; i < replies; i += 1) read.push(await readReply(dialogue));
      return { code: 1 as const, text: 'read', dataSize: 0, extended: {} };
    },
  };
  const seen = await runTest(probe, server.target);
  if (seen.code !== 1) throw new Error(`${seen.code} ${seen.text}`);
  return read;
}

const reply = fc.letrec<{ reply: RespReply }>((tie) => ({
  reply: fc.oneof(
    { maxDepth: 5 },
    fc.constant<RespReply>({ kind: 'null' }),
    fc
      .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      .map((n): RespReply => ({ kind: 'number', text: `${n}` })),
    fc.string({ unit: 'grapheme' }).map((text): RespReply => ({ kind: 'text', text })),
    fc.stringMatching(/^[A-Z]{1,9} [ -~]{0,20}$/).map((text): RespReply => ({ kind: 'error', text })),
    fc.array(tie('reply'), { maxLength: 4 }).map((items): RespReply => ({ kind: 'list', items })),
  ),
})).reply;

test('a reply is read as it was written, whatever follows', async () => {
  await fc.assert(
    fc.asyncProperty(reply, reply, async (first, second) => {
      expect(await readBytes(bytesOf(first) + bytesOf(second), 2)).toEqual([first, second]);
    }),
    { numRuns: propertyRuns(60) },
  );
});

test.each([
  ['*1\r\n'.repeat(9), /a reply nested deeper than 8/],
  ['*10001\r\n', /a reply of more than 10000 items/],
  [`*101\r\n${`*100\r\n${':1\r\n'.repeat(100)}`.repeat(101)}`, /a reply of more than 10000 items/],
  ['$600000000\r\n', /no reply of Redis/],
  ['$3\r\nabcde\r\n', /no reply of Redis/],
  [':12x\r\n', /no reply of Redis/],
  ['?\r\n', /no reply of Redis/],
  ['$5\r\nabc', /closed the connection before its answer was complete/],
])('%j ends the check', async (bytes, text) => {
  await expect(readBytes(bytes)).rejects.toThrow(text);
});

test('a long text keeps its first 64 KiB', async () => {
  const [long, next] = await readBytes(`$200000\r\n${'x'.repeat(200_000)}\r\n+next\r\n`, 2);
  expect(long && replyText(long)).toBe('x'.repeat(65_536));
  expect(next).toEqual({ kind: 'text', text: 'next' });
});
