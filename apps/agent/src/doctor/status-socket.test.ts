import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StatusReport } from './status-report.ts';
import { readStatus, serveStatus } from './status-socket.ts';

const endpoint = 'https://c:8444';

const status: StatusReport = {
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
