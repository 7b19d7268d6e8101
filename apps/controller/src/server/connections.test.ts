import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import { createLog, systemClock } from '@vantage/kernel';
import { createFakeClock, type FakeClock } from '@vantage/kernel/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ApiPort, createApiPort } from './api-port.ts';
import type { ConnectionCaps } from './connection-caps.ts';
import { ensureCertificates, type GeneratedCertificates } from './server-certificate.ts';
import { testAuthorities } from './testing/test-authorities.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'vantage-deadlines-'));
const soon = { timeout: 60_000, interval: 10 };
const bigAnswer = 'x'.repeat(8_000_000);
let own: GeneratedCertificates;
let clock: FakeClock;
let api: ApiPort;
let port: number;
let requests: number;
let lines: string[];
const log = createLog('test', 'silent');

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
  if (request.url === '/stream') {
    response.write('it begins'); // and goes on, and nobody reads the request
    return;
  }
  request.resume();
  requests += 1;
  if (request.url === '/never') return;
  request.once('end', () => response.end(request.url === '/big' ? bigAnswer : 'answer'));
};
const open = async (isProxy: boolean, caps?: ConnectionCaps, realTime = false) => {
  clock = createFakeClock();
  requests = 0;
  lines = [];
  vi.spyOn(log, 'warn').mockImplementation((_data: unknown, text?: string) => void lines.push(text ?? ''));
  api = createApiPort({
    certificate: own.server,
    handler,
    log,
    isTrustedProxy: () => isProxy,
    clock: realTime ? systemClock : clock,
    ...(caps === undefined ? {} : { caps }),
  });
  port = await api.listen(0, '127.0.0.1');
};
beforeEach(() => open(false));
afterEach(async () => {
  const closed = api.close(0);
  await clock.advance(1);
  await closed;
  vi.restoreAllMocks();
});

/** A client that says this and reads (or does not). */
const client = async (text: string, { tls = false, reads = true } = {}) => {
  const socket: Socket = tls
    ? connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: readFileSync(own.caFile) })
    : connect(port, '127.0.0.1');
  const state = { isClosed: false, text: '', socket };
  socket.on('error', () => {});
  socket.once('close', () => {
    state.isClosed = true;
  });
  if (reads)
    socket.on('data', (chunk) => {
      state.text += chunk.toString();
    });
  await new Promise((resolve) => socket.once(tls ? 'secureConnect' : 'connect', resolve));
  if (text !== '') await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  await settle();
  return state;
};
/** Lets both ends of the sockets of this process see what was sent. */
const settle = async () => {
  for (let i = 0; i < 50; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};
const whole = (url: string) => `GET ${url} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const helloOfTls = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1]).toString('latin1');
const halfHeader = 'POST / HTTP/1.1\r\nHost: loc';
const halfBody = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf';

describe('a connection without a complete request is closed within 75 s', () => {
  test.each([
    ['that is open and silent', '', false],
    ['with half a TLS handshake', helloOfTls, false],
    ['with half a header', halfHeader, false],
    ['with half a header over TLS', halfHeader, true],
    ['with half a body', halfBody, false],
    ['with half a body over TLS', halfBody, true],
    ['over TLS that sends nothing', '', true],
  ])('one %s', async (_what, text, tls) => {
    const it = await client(text, { tls });
    await clock.advance(9_000);
    await settle();
    expect(it.isClosed).toBe(false);
    await clock.advance(64_000);
    await vi.waitFor(() => expect(it.isClosed).toBe(true), soon);
  });

  test.each([
    ['that is open and silent', ''],
    ['with half a TLS handshake', helloOfTls],
  ])('one %s, after 10 s', async (_what, text) => {
    const it = await client(text);
    await clock.advance(12_000);
    await vi.waitFor(() => expect(it.isClosed).toBe(true), soon);
  });

  test.each([
    ['half a header a byte at a time', halfHeader],
    ['half a body a byte at a time', halfBody],
  ])('one that sends %s', async (_what, text) => {
    const it = await client(text, { tls: true });
    for (let s = 0; s < 74 && !it.isClosed; s += 1) {
      await clock.advance(1_000);
      if (!it.isClosed) it.socket.write('y');
      await settle();
    }
    await vi.waitFor(() => expect(it.isClosed).toBe(true), soon);
  });

  test('one that goes on after its answer with half of another request, or with line breaks only', async () => {
    const both = await Promise.all([client(whole('/')), client(whole('/'), { tls: true })]);
    for (const it of both) await vi.waitFor(() => expect(it.text).toContain('answer'), soon);
    await clock.advance(60_000);
    both[0].socket.write('\r\n');
    both[1].socket.write(halfHeader);
    await settle();
    await clock.advance(20_000);
    await settle();
    expect(both.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    await clock.advance(33_000);
    await vi.waitFor(() => expect(both.map(({ isClosed }) => isClosed)).toEqual([true, true]), soon);
  });
});

test('in true time a silent connection and half a handshake are closed', async () => {
  await api.close(0);
  await open(false, undefined, true);
  const both = [await client(''), await client(helloOfTls)];
  const closed = () => expect(both.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  await vi.waitFor(closed, { timeout: 60_000, interval: 100 });
});

test('an idle connection is kept for 65 s and closed then', async () => {
  const it = await client(whole('/'), { tls: true });
  await vi.waitFor(() => expect(it.text).toContain('answer'), soon);
  await clock.advance(62_000);
  await settle();
  expect(it.isClosed).toBe(false);
  it.socket.write(whole('/'));
  await vi.waitFor(() => expect(requests).toBe(2), soon);
  await settle();
  await clock.advance(62_000);
  await settle();
  expect(it.isClosed).toBe(false);
  await clock.advance(5_000);
  await vi.waitFor(() => expect(it.isClosed).toBe(true), soon);
});

test('an answer that streams is not closed, also when no handler read its request', async () => {
  const reader = await client('GET /stream HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(reader.text).toContain('it begins');
  for (let i = 0; i < 10; i += 1) {
    await clock.advance(60_000);
    await settle();
  }
  expect(reader.isClosed).toBe(false);
  reader.socket.destroy();
});

test('a connection whose answer is worked on is not closed', async () => {
  const it = await client(whole('/never'), { tls: true });
  await vi.waitFor(() => expect(requests).toBe(1), soon);
  await clock.advance(600_000);
  await settle();
  expect(it.isClosed).toBe(false);
});

test.each([false, true])('a reader that takes nothing of its answer is cut (TLS: %s)', async (tls) => {
  const it = await client('', { tls, reads: false });
  it.socket.pause();
  it.socket.write(whole('/big'));
  await vi.waitFor(() => expect(requests).toBe(1), soon);
  await settle();
  await clock.advance(59_000);
  await settle();
  expect(it.isClosed).toBe(false);
  await clock.advance(2_000 + 1000 * Math.ceil(bigAnswer.length / 32_768));
  it.socket.on('data', (chunk) => {
    it.text += chunk.toString();
  });
  it.socket.resume();
  await vi.waitFor(() => expect(it.isClosed).toBe(true), soon);
  expect(it.text.length).toBeLessThan(bigAnswer.length);
});

describe('the caps', () => {
  const reopen = async (isProxy: boolean, caps: ConnectionCaps) => {
    await api.close(0);
    await open(isProxy, caps);
  };

  test('an address beyond its cap is refused, and that is one line of the log', async () => {
    await reopen(false, { perNetwork: 3, total: 10 });
    const all: Awaited<ReturnType<typeof client>>[] = [];
    for (let i = 0; i < 8; i += 1) all.push(await client(''));
    await vi.waitFor(() => expect(all.filter(({ isClosed }) => isClosed)).toHaveLength(5), soon);
    expect(all.slice(0, 3).map(({ isClosed }) => isClosed)).toEqual([false, false, false]);
    expect(lines).toEqual(['a connection to the REST port is refused: its address has too many']);
    all[0]?.socket.destroy();
    await settle();
    const again = await client(whole('/'));
    await vi.waitFor(() => expect(again.text).toContain('answer'), soon);
  });

  test('a trusted proxy has no cap of its own', async () => {
    await reopen(true, { perNetwork: 1, total: 10 });
    const all = [await client(whole('/')), await client(whole('/')), await client(whole('/'))];
    for (const it of all) await vi.waitFor(() => expect(it.text).toContain('answer'), soon);
  });

  test('with all places taken, the one that waits longest makes room; a request in work is not cut', async () => {
    await reopen(false, { perNetwork: 9, total: 3 });
    const works = await client(whole('/never'));
    await vi.waitFor(() => expect(requests).toBe(1), soon);
    await clock.advance(1_000);
    const waits = [await client(halfHeader), await client('')];
    const fresh = await client(whole('/'));
    await vi.waitFor(() => expect(fresh.text).toContain('answer'), soon);
    await vi.waitFor(() => expect(waits[0]?.isClosed).toBe(true), soon);
    expect([works.isClosed, waits[1]?.isClosed]).toEqual([false, false]);
  });
});
