// Strangers whose requests never end.
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { scenes } from './harness/shared.ts';
import {
  halfBody,
  halfHandshake,
  halfHeader,
  type Intruder,
  openTcp,
  openTls,
  portOf,
  preface,
} from './harness/stranger.ts';

const slow = new Map<string, Intruder>();
const maxWithoutRequestMs = 75_000;

/** One connection for each phase. */
beforeAll(() => {
  const { baseUrl, agentEndpoint } = scenes.fixture;
  const from = '127.0.0.67';
  const rest = { port: portOf(baseUrl), from };
  const agents = { port: portOf(agentEndpoint), from };
  slow.set('REST: silent', openTcp(rest));
  slow.set('REST: half a handshake', openTcp(rest, halfHandshake));
  slow.set('REST: silent after the handshake', openTls(rest));
  slow.set('REST: half a header', openTls(rest, halfHeader));
  slow.set('REST: half a body', openTls(rest, halfBody));
  slow.set('REST: half a header in clear', openTcp(rest, halfHeader));
  slow.set('agents: silent', openTcp(agents));
  slow.set('agents: half a handshake', openTcp(agents, halfHandshake));
  slow.set('agents: silent after the handshake', openTls(agents, undefined, ['h2']));
  slow.set('agents: no stream', openTls(agents, preface, ['h2']));
});

test('the controller closes a connection without a complete request within 75 s, in every phase', async () => {
  const last = Math.max(...[...slow.values()].map(({ openedMs }) => openedMs)) + maxWithoutRequestMs;
  await delay(Math.max(0, last - performance.now()));
  const standing = [...slow].filter(([, { closedAfterMs }]) => closedAfterMs === undefined);
  for (const { socket } of slow.values()) socket.destroy();
  expect(standing.map(([phase]) => phase)).toEqual([]);
});
