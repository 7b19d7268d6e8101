import { connect, type TLSSocket } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { useAgentsPorts } from '../../src/agents/enrol/testing/agents-port.ts';
import { soon } from '../../src/agents/gateway/testing/gateway-fixture.ts';

const bench = useAgentsPorts();

/** Sends this by HTTP/1.1; the text that came back, and whether the connection is closed. */
async function client(url: string, text: string) {
  const socket: TLSSocket = connect({
    host: '127.0.0.1',
    port: Number(new URL(url).port),
    servername: 'localhost',
    ca: bench.authorities.trusted.join(''),
  });
  const state = { text: '', isClosed: false };
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    state.text += chunk.toString('latin1');
  });
  socket.once('close', () => {
    state.isClosed = true;
  });
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  socket.write(text);
  return state;
}
const ask = 'GET /install.sh HTTP/1.1\r\nHost: localhost\r\n\r\n';

test('a connection with HTTP/1.1 gets one answer and is closed', async () => {
  await using port = await bench.openPort();
  const it = await client(port.url, ask);
  await vi.waitFor(() => expect(it.isClosed).toBe(true), soon);
  expect(it.text).toMatch(/^HTTP\/1\.1 401 [\s\S]*\r\nConnection: close\r\n/i);
});

test.each([
  ['as they should be', ask],
  ['without Host', 'GET /x HTTP/1.1\r\n\r\n'],
])('a connection that sends thousands of requests, %s, is closed at the second one', async (_how, text) => {
  await using port = await bench.openPort();
  const it = await client(port.url, text.repeat(4_000));
  await vi.waitFor(() => expect(it.isClosed).toBe(true), soon);
  expect(it.text.match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThanOrEqual(1);
  const next = await client(port.url, ask);
  await vi.waitFor(() => expect(next.text).toContain('401'), soon);
});
