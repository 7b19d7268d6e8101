import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { examinePing } from './examine-ping.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-ping-'));
  mkdirSync(path.join(folder, 'agent'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** An agent that answers with this text. */
async function agent(text: string) {
  const server = createServer((socket) => socket.end(text));
  await new Promise<void>(
    (resolve) => void server.listen(path.join(folder, 'agent', 'status.sock'), resolve),
  );
  return { [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())) };
}

test.each([
  ['{"pingFault": null}', [{ level: 'ok', text: 'the agent of this system may ping' }]],
  [
    '{"pingFault": "needs CAP_NET_RAW"}',
    [
      {
        level: 'warning',
        text: 'the agent of this system may not ping: needs CAP_NET_RAW',
        remedy: expect.stringContaining('net.ipv4.ping_group_range'),
      },
    ],
  ],
  ['{"another": "version"}', []],
  ['no JSON', []],
  ['x'.repeat(70_000), []],
])('an agent that answers %.40s', async (text, findings) => {
  await using _agent = await agent(text);
  expect(await examinePing(folder)).toMatchObject(findings);
});

test('without a running agent there is no finding about pings', async () => {
  expect(await examinePing(folder)).toEqual([]);
});
