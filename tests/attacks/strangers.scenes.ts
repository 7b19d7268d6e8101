// Strangers without a key attack both ports.
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { testAuthorities } from '../../apps/controller/src/platform/server/testing/authorities.ts';
import { type AgentIdentity, issueIdentity } from '../../apps/controller/src/testing/agent-identity.ts';
import { crowd, maxConnections } from './harness/crowd.ts';
import { openHostile } from './harness/hostile-agent.ts';
import { within } from './harness/scenes.ts';
import { scenes } from './harness/shared.ts';
import {
  descriptorLimit,
  halfHandshake,
  halfHeader,
  openTcp,
  openTls,
  portOf,
  preface,
} from './harness/stranger.ts';

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
