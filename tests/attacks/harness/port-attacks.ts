import { setTimeout as delay } from 'node:timers/promises';
import { crowd, maxConnections } from './crowd.ts';
import { openHostile } from './hostile-agent.ts';
import { pick } from './hostile-message.ts';
import { halfHandshake, halfHeader, openTcp, openTls, preface } from './stranger.ts';
import { portsOf } from './unread.ts';
import type { Attack } from './unread-attacks.ts';

const beginnings = [undefined, halfHeader, halfHandshake] as const;
const from = '127.0.0.66';

/** Many connections that begin in different ways and go no further. */
const crowdAtAPort: Attack = async (fixture, random) => {
  const { rest, agents } = portsOf(fixture);
  const way = { port: pick(random, [rest, agents]), from };
  const count = Math.min(maxConnections(), 500 + Math.floor(random() * 6_000));
  await crowd((i) => openTcp(way, beginnings[i % beginnings.length]), count, 2_000);
};

/** Handshakes at the full speed of one stranger. */
const handshakes: Attack = async (fixture, random) => {
  const { rest, agents } = portsOf(fixture);
  const way = { port: pick(random, [rest, agents]), from };
  for (let round = 0; round < 20 + random() * 20; round += 1) {
    const all = Array.from({ length: 10 }, () => openTls(way, preface, ['h2']));
    await delay(150);
    for (const { socket } of all) socket.destroy();
  }
};

/** Streams without a certificate, with a first message that is as great as possible. */
const streamsWithoutCertificate: Attack = async (fixture) => {
  const part = Buffer.alloc(256 * 1024);
  const open = async () => {
    using connection = openHostile(fixture);
    const stream = connection.open();
    stream.sendFrame(part, 31 * 1024 * 1024);
    for (let i = 0; i < 122 && !stream.ended; i += 1) if (!stream.sendRaw(part)) await stream.drained();
    await stream.end;
  };
  await Promise.all(Array.from({ length: 20 }, open));
};

/** More streams in one connection than are allowed. */
const streamsInOneConnection: Attack = async (fixture, random) => {
  using connection = openHostile(fixture);
  const streams = Array.from({ length: 500 + Math.floor(random() * 1_500) }, () => connection.open());
  await Promise.all(streams.map(({ end }) => end));
};

/** Attacks of strangers on both ports, by name. */
export const portAttacks: Readonly<Record<string, Attack>> = {
  crowdAtAPort,
  handshakes,
  streamsWithoutCertificate,
  streamsInOneConnection,
};
