import { connect, type Socket } from 'node:net';
import { strangerSlots } from '@vantage/rest-kit/stranger-load';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

let rest: RestFixture;
let key = '';
beforeAll(async () => {
  rest = await createRestFixture();
  ({ key } = await rest.key((await rest.account('one')).accountNo, 'UR'));
});
afterAll(() => rest[Symbol.asyncDispose]());

const signIn = (address: string, body: object) =>
  rest.send('POST', '/session', { body, headers: { 'X-Forwarded-For': address } });

test('sign-ins whose bodies never end take no places, however many they are', async () => {
  const { port } = new URL(rest.baseUrl);
  const sockets: Socket[] = [];
  for (let i = 0; i < 2 * strangerSlots.all.running; i += 1) {
    const socket = connect(Number(port), '127.0.0.1');
    sockets.push(socket);
    const head = `Host: localhost\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 198.51.100.${i % 8}`;
    socket.write(
      `POST /v1.1/session HTTP/1.1\r\n${head}\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"`,
    );
    // The controller reads the body now.
    await new Promise((resolve) => socket.once('data', resolve));
  }
  for (const address of ['198.51.100.0', '203.0.113.9'])
    expect((await signIn(address, { Key: key })).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test('a body without a key has at most 16 KiB', async () => {
  const long = await signIn('203.0.113.9', { Key: key, Name: 'x'.repeat(17_000) });
  expect(long.json).toMatchObject({ code: 1000 });
});
