import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { advanceUntilEnded, createFakeClock } from '@vantage/kernel/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { textSearch } from '../search/text-search.ts';
import { addressOf, closedPort, datagramContract, runTest } from '../testing/index.ts';
import { udp } from './udp.ts';

// The first pattern starts the threads.
beforeAll(() => textSearch.run({ kind: 'regex', pattern: 'a', text: 'a' }, new AbortController().signal));

datagramContract({
  probe: udp,
  answer: (message) => (message.toString() === 'status?' ? Buffer.from('status: fine') : undefined),
  url: (port) => `udp://127.0.0.1:${port}`,
  options: { Send: 'status?', ExpectText: 'fine' },
  anyAnswerCounts: true,
});

/** A server on loopback that answers each datagram with `answer`. */
async function serve(answer: (message: Buffer) => string | undefined) {
  const socket = createSocket('udp4');
  const heard: Buffer[] = [];
  const first = Promise.withResolvers<void>();
  socket.on('message', (message, from) => {
    heard.push(message);
    first.resolve();
    const text = answer(message);
    if (text !== undefined) socket.send(Buffer.from(text, 'latin1'), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    target: `127.0.0.1:${addressOf(socket.address()).port}`,
    heard,
    reached: first.promise,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

describe('UDP', () => {
  test.each([
    { options: { Send: 'a\r\n' }, sent: '610d0a', code: 1 },
    { options: { SendHex: '00 ff' }, sent: '00ff', code: 1 },
    { options: {}, sent: '', code: 1 },
    { options: { ExpectText: 'pong' }, code: 1 },
    { options: { ExpectHex: '70 6f ff' }, code: 7, text: 'expected hex 70 6f ff, got "pong"' },
    { options: { ExpectRegex: '^po.g$' }, code: 1 },
    { options: { ExpectRegex: '^ping' }, code: 7, text: 'expected /^ping/, got "pong"' },
    { options: { ExpectText: 'ping' }, code: 7, text: 'expected "ping", got "pong"' },
  ])('$options ends as $code', async ({ options, sent, code, text }) => {
    await using server = await serve(() => 'pong');
    const seen = await runTest(udp, server.target, options);
    expect(seen, seen.text).toMatchObject({ code, text: text ?? `${server.target} answered with 4 bytes` });
    if (sent !== undefined) expect(server.heard[0]?.toString('hex')).toBe(sent);
    expect(seen.extended['Answer']).toBe(code === 7 ? 'pong' : undefined);
  });

  test('silence is good only where no answer is required, and takes no time of the server', async () => {
    await using server = await serve(() => undefined);
    const clock = createFakeClock();
    const running = runTest(udp, server.target, { AnswerRequired: false }, { timeoutMs: 10_000, clock });
    await server.reached;
    expect(await advanceUntilEnded(clock, 100, running)).toMatchObject({
      code: 1,
      text: `sent to ${server.target}, no answer and no refusal within 1 s`,
      phases: { ttfb: 0, ttlb: 0 },
    });
    expect(clock.monoMs()).toBeLessThan(5_000);
  });

  test('a refused port fails also where no answer is required', async () => {
    expect(await runTest(udp, `127.0.0.1:${closedPort}`, { AnswerRequired: false })).toMatchObject({
      code: 3,
      text: `connection refused by 127.0.0.1:${closedPort}`,
    });
  });

  test.each([
    [{ Send: 'a', SendHex: '61' }, 'SendHex'],
    [{ ExpectText: 'a', ExpectRegex: 'a' }, 'ExpectText'],
    [{ AnswerRequired: false, ExpectText: 'a' }, 'AnswerRequired'],
    [{ ExpectRegex: '(' }, 'ExpectRegex'],
    [{ SendHex: '0' }, 'SendHex'],
  ])('%j is refused at %s', (options, place) => {
    expect(udp.options.safeParse(options).error?.issues.map(({ path }) => path.join('.'))).toEqual([place]);
  });

  test('a URL needs a port', () => {
    expect(udp.parseTarget('game.example')).toMatchObject({
      ok: false,
      message: expect.stringContaining('a port is missing'),
    });
  });
});
