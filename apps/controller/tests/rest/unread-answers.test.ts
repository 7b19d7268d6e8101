import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

const soon = { timeout: 60_000, interval: 20 };
let rest: RestFixture;
beforeAll(async () => {
  rest = await createRestFixture();
});
afterAll(() => rest[Symbol.asyncDispose]());

const documents = JSON.stringify({
  Operations: Array.from({ length: 20 }, () => ({ Method: 'GET', Path: '/openapi.json' })),
});

/** Asks for a batch of 4 MiB and does not read the answer. */
function askUnread(key: string) {
  const { hostname, port } = new URL(rest.baseUrl);
  const socket = connect(Number(port), hostname);
  const state = { socket, isAnswered: false };
  socket.on('error', () => {});
  socket.once('readable', () => {
    state.isAnswered = true;
  });
  socket.write(
    `POST /v1.1/batch HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Proto: https\r\nService-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${documents.length}\r\n\r\n${documents}`,
  );
  return state;
}

test('a batch whose answer nobody reads keeps the account’s place, and no place of another account', async () => {
  const [one, other] = [await rest.account('one'), await rest.account('other')];
  const { key } = await rest.key(one.accountNo, 'UR');
  const { key: second } = await rest.key(one.accountNo, 'UR');
  const { key: neighbour } = await rest.key(other.accountNo, 'UR');
  const first = askUnread(key);
  await vi.waitFor(() => expect(first.isAnswered).toBe(true), soon);
  const next = askUnread(second);
  const small = { Operations: [{ Method: 'GET', Path: '/account' }] };
  for (let i = 0; i < 10; i += 1) {
    expect((await rest.send('POST', '/batch', { key: neighbour, body: small })).status).toBe(200);
    expect((await rest.send('GET', '/account', { key })).status).toBe(200);
  }
  expect(next.isAnswered).toBe(false);
  first.socket.resume();
  await vi.waitFor(() => expect(next.isAnswered).toBe(true), soon);
  next.socket.destroy();
  expect((await rest.send('POST', '/batch', { key, body: small })).status).toBe(200);
  first.socket.destroy();
});
