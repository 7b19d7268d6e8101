import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import { createLog } from '@vantage/kernel';
import { createFakeClock, type FakeClock } from '@vantage/kernel/testing';
import { SlicedBody } from '@vantage/rest-kit/sliced-body';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ApiPort, createApiPort } from './api-port.ts';
import { ensureCertificates, type GeneratedCertificates } from './server-certificate.ts';
import { testAuthorities } from './testing/test-authorities.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'vantage-pipelined-'));
const soon = { timeout: 60_000, interval: 10 };
const log = createLog('test', 'silent');
const answerBytes = 8_000_000;
let own: GeneratedCertificates;
let clock: FakeClock;
let api: ApiPort;
let port: number;
/** The paths that the handler got, in order. */
let begun: string[];
let held: ServerResponse[];
let lines: string[];

beforeAll(async () => {
  own = await ensureCertificates({
    dir,
    names: ['localhost'],
    log,
    authorities: await testAuthorities(),
    clock: createFakeClock(Date.now() * 1000),
  });
});
afterAll(() => rmSync(dir, { recursive: true }));

const handler: RequestListener = (request, response) => {
  const url = request.url ?? '';
  begun.push(url);
  request.resume();
  if (url.startsWith('/held')) held.push(response);
  else if (url.startsWith('/great')) request.once('end', () => response.end(Buffer.alloc(answerBytes)));
  else if (url.startsWith('/sliced'))
    request.once('end', () =>
      new SlicedBody(Buffer.alloc(answerBytes), url === '/sliced-shared').pipe(response),
    );
  else request.once('end', () => setImmediate(() => response.end(`<${url}>`)));
};
const open = async (unsentBytes?: number) => {
  clock = createFakeClock();
  begun = [];
  held = [];
  lines = [];
  vi.spyOn(log, 'warn').mockImplementation((_data: unknown, text?: string) => void lines.push(text ?? ''));
  api = createApiPort({
    certificate: own.server,
    handler,
    log,
    clock,
    isTrustedProxy: () => false,
    clientError: (_error, socket) => socket.destroy(),
    ...(unsentBytes === undefined ? {} : { unsentBytes }),
  });
  port = await api.listen(0, '127.0.0.1');
};
afterEach(async () => {
  const closed = api.close(0);
  await clock.advance(1);
  await closed;
  vi.restoreAllMocks();
});

const client = async (text: string, { tls = true, reads = true, from = '127.0.0.1' } = {}) => {
  const tcp = connect({ port, host: '127.0.0.1', localAddress: from });
  const socket: Socket = tls
    ? connectTls({ socket: tcp, servername: 'localhost', ca: readFileSync(own.caFile) })
    : tcp;
  const state = { isClosed: false, hasEnded: false, text: '', socket };
  socket.once('end', () => {
    state.hasEnded = true;
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    state.isClosed = true;
  });
  const read = () => socket.on('data', (chunk) => (state.text += chunk.toString('latin1')));
  if (reads) read();
  await new Promise((resolve) => socket.once(tls ? 'secureConnect' : 'connect', resolve));
  socket.write(text);
  return Object.assign(state, { read });
};
const ask = (url: string, more = '') => `GET ${url} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
const range = (count: number) => Array.from({ length: count }, (_, i) => i);

describe.each([
  ['over TLS', true],
  ['in clear', false],
])('requests that a client sends without waiting for answers, %s', (_how, tls) => {
  test('begin one after the other, each when the answer before it has left', async () => {
    await open();
    const it = await client(`${ask('/held')}${ask('/b')}${ask('/c')}`, { tls });
    await vi.waitFor(() => expect(held).toHaveLength(1), soon);
    await clock.advance(2_000);
    expect(begun).toEqual(['/held']);
    held[0]?.end('first');
    await vi.waitFor(() => expect(it.text).toMatch(/first[\s\S]*<\/b>[\s\S]*<\/c>$/), soon);
    expect(begun).toEqual(['/held', '/b', '/c']);
  });

  test('are answered in order, at least 64 of them, and the connection ends after them where there are more', async () => {
    await open();
    for (const count of [65, 1_300, 12_000]) {
      const it = await client(
        range(count)
          .map((i) => ask(`/${i}`))
          .join(''),
        { tls },
      );
      await vi.waitFor(() => expect(it.text).toContain('</64>'), soon);
      if (count > 65) await vi.waitFor(() => expect(it.hasEnded).toBe(true), soon);
      expect(it.text.match(/<\/\d+>/g)).toEqual(range(65).map((i) => `</${i}>`));
      it.socket.destroy();
    }
    expect(begun).toHaveLength(3 * 65);
    const again = await client(ask('/a'), { tls });
    await vi.waitFor(() => expect(again.text).toMatch(/<\/a>$/), soon);
  });

  test('keep the bodies that come with them', async () => {
    await open();
    const body = 'x'.repeat(300_000);
    const post = `POST /post HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const it = await client(`${ask('/held')}${post}${post}${ask('/last')}`, { tls });
    await vi.waitFor(() => expect(held).toHaveLength(1), soon);
    held[0]?.end('first');
    await vi.waitFor(() => expect(it.text).toMatch(/<\/post>[\s\S]*<\/post>[\s\S]*<\/last>$/), soon);
  });

  test('wait while a client does not read, and its connection is closed at the deadline of the answer', async () => {
    await open();
    const it = await client(ask('/great').repeat(1_300), { tls, reads: false });
    await vi.waitFor(() => expect(begun.length).toBeGreaterThan(0), soon);
    await clock.advance(5_000);
    expect(begun).toEqual(['/great']);
    await clock.advance(60_000 + (1000 * answerBytes) / 32_768);
    it.read();
    await vi.waitFor(() => expect(it.isClosed).toBe(true), soon);
    expect(begun).toEqual(['/great']);
  });
});

test('waiting requests have no deadline of their own while the one before them is worked on', async () => {
  await open();
  const half = 'POST /half HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf';
  const it = await client(`${ask('/held')}${half}`);
  await vi.waitFor(() => expect(held).toHaveLength(1), soon);
  await clock.advance(300_000);
  expect(it.isClosed).toBe(false);
  held[0]?.end('first');
  await vi.waitFor(() => expect(begun).toEqual(['/held', '/half']), soon);
  await clock.advance(52_000);
  await vi.waitFor(() => expect(it.isClosed).toBe(true), soon);
});

test('an answer in slices has the deadline of its length too, and counts while nobody reads it', async () => {
  await open(answerBytes * 1.5);
  const it = await client(ask('/sliced').repeat(3), { reads: false });
  await vi.waitFor(() => expect(begun).toHaveLength(1), soon);
  await clock.advance(60_000);
  const other = await client(ask('/sliced'), { reads: false, from: '127.0.0.66' });
  await vi.waitFor(() => expect(lines).toHaveLength(1), soon);
  const shared = await client(ask('/sliced-shared'), { reads: false, from: '127.0.0.66' });
  await vi.waitFor(() => expect(begun).toHaveLength(3), soon);
  await clock.advance((1000 * answerBytes) / 32_768 + 10_000);
  for (const { read } of [it, other]) read();
  await vi.waitFor(() => expect([it.isClosed, other.isClosed]).toEqual([true, true]), soon);
  expect(shared.isClosed).toBe(false);
});

test.each(['/great', '/sliced'])(
  'of clients that do not read %s, the one that keeps the most is cut, and another client is served',
  async (path) => {
    await open(3 * answerBytes);
    const strangers = await Promise.all(
      range(6).map(() => client(ask(path), { reads: false, from: '127.0.0.66' })),
    );
    await vi.waitFor(() => expect(begun).toHaveLength(6), soon);
    const bystander = await client(ask(path), { from: '127.0.0.77' });
    await vi.waitFor(() => expect(bystander.text.length).toBeGreaterThan(answerBytes), soon);
    expect(lines).toContain(
      'a connection to the REST port is closed: answers that clients do not read take too much memory',
    );
    for (const { read } of strangers) read();
    await vi.waitFor(
      () => expect(strangers.filter(({ isClosed }) => isClosed).length).toBeGreaterThan(1),
      soon,
    );
  },
);

test('of a crowd of connections with requests that wait, few are begun, and another client is served', async () => {
  await open();
  const text = `${ask('/held')}${'GET / HTTP/1.1\r\n\r\n'.repeat(3_000)}`;
  const crowd = await Promise.all(range(12).map(() => client(text, { tls: false, from: '127.0.0.66' })));
  await vi.waitFor(() => expect(held).toHaveLength(12), soon);
  expect(lines).toEqual([
    'a connection to the REST port ends: too many requests wait for the answers before them',
  ]);
  const bystander = await client(`${ask('/a')}${ask('/b')}`, { from: '127.0.0.77' });
  await vi.waitFor(() => expect(bystander.text).toMatch(/<\/a>[\s\S]*<\/b>$/), soon);
  for (const response of held) response.end();
  await vi.waitFor(() => expect(crowd.every(({ hasEnded }) => hasEnded)).toBe(true), soon);
  expect(begun.filter((url) => url === '/')).toHaveLength(256);
});
