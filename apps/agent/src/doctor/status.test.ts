import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { createFakeClock } from '@vantage/kernel/testing';
import { WelcomeSchema } from '@vantage/proto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AgentStatus, statusText } from './status.ts';
import { recordLink } from './status-of.ts';
import { readStatus, serveStatus } from './status-socket.ts';

const endpoint = 'https://c:8444';
const status: AgentStatus = {
  version: '1.2.3',
  pid: 7,
  startedMs: 0,
  devices: 3,
  waitingRecords: 2,
  clockOffsetMs: -4,
  pingFault: null,
  connection: { endpoint, location: 'berlin', sinceMs: 1000 },
  lastDisconnect: null,
};
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-status-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the status names connection, Location, version, devices, results that wait and the clock', () => {
  expect(statusText(status, 200_000)).toBe(
    [
      'Connected to https://c:8444 for 3 min',
      'Location berlin',
      'Version 1.2.3, process 7, running for 3 min',
      '3 devices, 2 results wait for the controller',
      "This host's clock is 4 ms ahead of the controller's",
    ].join('\n'),
  );
});

test('without a connection the status says why, and a missing right to ping is shown', () => {
  const lastDisconnect = { endpoint, text: 'no connection: refused', atMs: 195_000 };
  const text = statusText(
    { ...status, connection: null, lastDisconnect, pingFault: 'needs CAP_NET_RAW' },
    200_000,
  );
  expect(text).toContain('Not connected: no connection: refused (https://c:8444, 5 s ago)');
  expect(text).toContain('Checks by PING do not work: needs CAP_NET_RAW');
});

test('the socket of a running agent gives its status to its user only, and none when it ended', async () => {
  const faults: string[] = [];
  {
    await using _served = await serveStatus(
      folder,
      () => status,
      (text) => faults.push(text),
    );
    expect(statSync(path.join(folder, 'status.sock')).mode & 0o777).toBe(0o600);
    expect(await readStatus(folder)).toEqual({ kind: 'status', status });
  }
  expect(await readStatus(folder)).toEqual({ kind: 'not-running' });
  expect(faults).toEqual([]);
});

test('the socket of an agent that was killed is replaced', async () => {
  const first = await serveStatus(
    folder,
    () => ({ ...status, pid: 1 }),
    () => {},
  );
  await using _second = await serveStatus(
    folder,
    () => ({ ...status, pid: 2 }),
    () => {},
  );
  expect(await readStatus(folder)).toMatchObject({ status: { pid: 2 } });
  await first[Symbol.asyncDispose]();
});

test('where the folder cannot hold a socket the agent goes on, and the reason is named', async () => {
  const faults: string[] = [];
  await using _served = await serveStatus(
    path.join(folder, 'x'.repeat(120)),
    () => status,
    (text) => faults.push(text),
  );
  expect(faults).toHaveLength(1);
});

test('an answer that is no status is unreadable', async () => {
  const server = createServer((socket) => socket.end('{}'));
  await new Promise<void>((resolve) => server.listen(path.join(folder, 'status.sock'), resolve));
  expect(await readStatus(folder)).toMatchObject({ kind: 'unreadable' });
  await new Promise((resolve) => server.close(resolve));
});

test('the record keeps the present connection and the latest end, and passes both on', () => {
  const clock = createFakeClock();
  const calls: string[] = [];
  const { handlers, record } = recordLink(
    {
      hello: () => Promise.resolve({}),
      onUp: () => calls.push('up'),
      onMessage: () => calls.push('message'),
      onDown: () => calls.push('down'),
    },
    clock,
  );
  expect(record()).toEqual({ up: undefined, lastDown: undefined });
  handlers.onUp(create(WelcomeSchema, { locationName: 'berlin' }), endpoint);
  expect(record().up).toMatchObject({ endpoint, location: 'berlin' });
  handlers.onDown({ kind: 'lost', text: 'reset', lastedMs: 1 }, endpoint);
  expect(record()).toMatchObject({ up: undefined, lastDown: { endpoint, text: 'no connection: reset' } });
  expect(calls).toEqual(['up', 'down']);
});
