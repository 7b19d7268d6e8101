// Strangers without a key attack both ports.
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { testAuthorities } from '../../apps/controller/src/server/testing/test-authorities.ts';
import { type AgentIdentity, issueIdentity } from '../../apps/controller/src/testing/agent-identity.ts';
import { crowd, maxConnections } from './harness/crowd.ts';
import { openHostile } from './harness/hostile-agent.ts';
import { callFrom, type Outcome } from './harness/https-call.ts';
import { within } from './harness/scenes.ts';
import { scenes } from './harness/shared.ts';
import {
  descriptorLimit,
  halfHandshake,
  halfHeader,
  halfSignIn,
  openTcp,
  openTls,
  portOf,
  preface,
} from './harness/stranger.ts';
import { get, leaveUnread, portsOf } from './harness/unread.ts';

test('streams without a known certificate are refused before their first message is read', async () => {
  const { signing } = await testAuthorities();
  const { identity: foreign } = await issueIdentity(signing);
  await scenes.play('streams without a known certificate', async (fixture) => {
    const part = Buffer.alloc(256 * 1024);
    const attack = async (identity: AgentIdentity | undefined) => {
      using connection = openHostile({ ...fixture, identity });
      const stream = connection.open();
      stream.sendFrame(part, 31 * 1024 * 1024);
      for (let i = 0; i < 122 && !stream.ended; i += 1) if (!stream.sendRaw(part)) await stream.drained();
      expect((await within(15_000, stream.end)).status).toBe(Code.Unauthenticated);
    };
    await Promise.all(Array.from({ length: 20 }, (_, i) => attack(i % 2 === 0 ? undefined : foreign)));
  });
});

const beginnings = [undefined, halfHeader, halfHandshake];

test('many connections from one address to the REST port exclude no other address', async () => {
  await scenes.play('crowd at the REST port', async (fixture) => {
    const way = { port: portOf(fixture.baseUrl), from: '127.0.0.66' };
    const standing = await crowd((i) => openTcp(way, beginnings[i % 3]), maxConnections(), 3_000);
    expect(standing).toBeLessThan(2_000);
    const pid = fixture.controller.process.pid ?? 0;
    expect(readdirSync(`/proc/${pid}/fd`).length).toBeLessThan(descriptorLimit(pid) / 2);
  });
});

test('many connections from one address to the agents’ port exclude no agent', async () => {
  await scenes.play('crowd at the agents’ port', async (fixture) => {
    const way = { port: portOf(fixture.agentEndpoint), from: '127.0.0.66' };
    expect(await crowd((i) => openTcp(way, beginnings[i % 3]), maxConnections(), 3_000)).toBeLessThan(2_000);
    // Open connections stay, and another address gets a new one.
    using agent = openHostile({ ...fixture, from: '127.0.0.68' });
    expect((await within(5_000, agent.open().end)).status).toBe(Code.Unauthenticated);
  });
});

test('TLS handshakes at the full speed of one stranger disturb no other client', async () => {
  await scenes.play('handshakes', async (fixture) => {
    const way = { port: portOf(fixture.agentEndpoint), from: '127.0.0.66' };
    for (let round = 0; round < 40; round += 1) {
      const all = Array.from({ length: 10 }, () => openTls(way, preface, ['h2']));
      await delay(150);
      for (const { socket } of all) socket.destroy();
    }
  });
});

test('one connection can open a limited number of streams', async () => {
  await scenes.play('streams in one connection', async (fixture) => {
    using connection = openHostile(fixture);
    const streams = Array.from({ length: 2_000 }, () => connection.open());
    const ends = await within(20_000, Promise.all(streams.map(({ end }) => end)));
    for (const { status } of ends) expect([Code.Unauthenticated, undefined]).toContain(status);
  });
});

/** Documents that fill all buffers of a connection whose client does not read. */
const document = get('/v1.1/openapi.json').repeat(40);

test.each([
  ['the documents', 4, document],
  ['the documents', 60, document],
  ['a status page', 12, get('/status/unread').repeat(2_000)],
  ['the halves of sign-ins', 12, halfSignIn],
] as const)(
  '%s that %i addresses leave keep nobody from signing in, reading a status page and opening a document',
  async (what, networks, text) => {
    const { hostile, neighbour, baseUrl, ca } = scenes.fixture;
    const { page_id: id } = z
      .object({ page_id: z.string() })
      .parse(await hostile.api.ok('POST', '/pages', { Name: 'Unread', Path: 'unread' }));
    await using _page = {
      [Symbol.asyncDispose]: async () => void (await hostile.api.ok('DELETE', `/pages/${id}`)),
    };
    const from = Array.from({ length: networks }, (_, i) => `127.0.2.${i + 1}`);
    const origin = new URL(baseUrl).origin;
    const ask = (path: string, body?: object) =>
      callFrom('127.0.0.69', {
        ca,
        url: `${origin}${path}`,
        method: body === undefined ? 'GET' : 'POST',
        headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: 10_000,
      });
    await scenes.play(`${what} that ${networks} addresses leave`, async (fixture) => {
      const unread = leaveUnread(portsOf(fixture).rest, {
        from,
        connections: 4 * networks,
        text,
        unreadMs: 12_000,
      });
      await delay(2_000);
      const outcomes: Outcome[] = [];
      for (let i = 0; i < 3; i += 1)
        outcomes.push(
          ...(await Promise.all([
            ask('/v1.1/session', { Key: neighbour.key }),
            ask('/status/unread'),
            ask('/v1.1/openapi.json'),
          ])),
        );
      await unread;
      for (const { status, text: said, ms } of outcomes) {
        expect(status, said).toBe(200);
        expect(ms, 'longest wait of a caller without a key').toBeLessThan(5_000);
      }
    });
  },
  240_000,
);
