import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { type AttackFixture, issueKey } from './attack-fixture.ts';
import { openHostile } from './hostile-agent.ts';
import { pick, type Random } from './hostile-message.ts';
import { batchOf, get, leaveUnread, portsOf } from './unread.ts';

/** An attack with parameters that `random` chooses. Resolves when it has ended. */
export type Attack = (fixture: AttackFixture, random: Random) => Promise<void>;

/** Addresses of strangers; the bystander has another one. */
const addresses = Array.from({ length: 12 }, (_, i) => `127.0.1.${i + 1}`);
const document = '/v1.1/openapi.json';
const documents = [document, '/docs/api/swagger-ui-bundle.js', '/docs/api/swagger-ui.css'] as const;
const deviceCount = 100;
/** The controller has made what it will make of unread answers long before. */
const unreadMs = 3_000;

const between = (random: Random, least: number, most: number) =>
  least + Math.floor(random() * (most - least + 1));
const someAddresses = (random: Random) => addresses.slice(0, pick(random, [1, 1, 3, 12]));

/** Gives the hostile account 100 devices that are not checked, with long texts. */
export async function addManyDevices({ hostile }: AttackFixture): Promise<void> {
  const Operations = Array.from({ length: deviceCount }, (_, i) => ({
    Method: 'POST',
    Path: '/devices',
    Body: {
      Method: 'HTTP',
      URL: `http://127.0.0.1:9/${'x'.repeat(1_000)}`,
      ShortName: `u-${i}`,
      Enabled: false,
      FullName: `unread ${i}`,
    },
  }));
  const answer = await hostile.api.ok('POST', '/batch', { Operations });
  const text = JSON.stringify(answer);
  expect(text.match(/"Status":200/g) ?? [], text.slice(0, 500)).toHaveLength(deviceCount);
}

/** One stranger, one connection: 1,300 documents, all unread. */
const unreadDocuments: Attack = async (fixture) => {
  await leaveUnread(portsOf(fixture).rest, {
    from: ['127.0.0.66'],
    connections: 1,
    text: get(document).repeat(1_300),
    unreadMs,
  });
};

/** Strangers with many connections, some of which read a little. */
const crowdOfUnreadDocuments: Attack = async (fixture, random) => {
  await leaveUnread(portsOf(fixture).rest, {
    from: someAddresses(random),
    connections: between(random, 100, 200),
    text: get(pick(random, documents), undefined, pick(random, ['1.1', '1.0'])).repeat(
      between(random, 100, 1_300),
    ),
    unreadMs,
    bytesPerSecond: pick(random, [0, 100, 10_000]),
  });
};

/** Strangers whose reads hold as many requests as possible. */
const crowdOfShortestRequests: Attack = async (fixture, random) => {
  await leaveUnread(portsOf(fixture).rest, {
    from: someAddresses(random),
    connections: between(random, 50, 200),
    text: 'GET / HTTP/1.1\r\n\r\n'.repeat(between(random, 3_000, 12_000)),
    unreadMs,
  });
};

/** A key's batches of reads, pipelined and unread, on one connection or on several, of one key or of several. */
const unreadBatches: Attack = async (fixture, random) => {
  const { hostile, kysely } = fixture;
  const keys = [hostile.key];
  for (let i = between(random, 0, 5); i > 0; i -= 1) keys.push(await issueKey(kysely, hostile.accountNo));
  const path = '/openapi.json';
  await Promise.all(
    keys.map((key, i) =>
      leaveUnread(portsOf(fixture).rest, {
        from: [addresses[i] ?? ''],
        connections: pick(random, [1, 4, 16]),
        unreadMs,
        text: batchOf(path, 8, key).repeat(between(random, 10, 60)),
      }),
    ),
  );
};

/** Lists of 100 devices in each form, and series, unread. */
const unreadLists: Attack = async (fixture, random) => {
  const { key } = fixture.hostile;
  const forms = ['csv', 'json', 'xml'].map((form) => get(`/v1.1/devices?Limit=100&fmt=${form}`, key));
  const texts = [get('/metrics?devices=Y', key), forms.join(''), ...forms] as const;
  await leaveUnread(portsOf(fixture).rest, {
    from: someAddresses(random),
    connections: pick(random, [1, 20, 150]),
    text: pick(random, texts).repeat(between(random, 50, 300)),
    unreadMs,
    bytesPerSecond: pick(random, [0, 1_000]),
  });
};

/** Unread event streams while events come. */
const unreadEvents: Attack = async (fixture, random) => {
  const { hostile } = fixture;
  const reading = leaveUnread(portsOf(fixture).rest, {
    from: someAddresses(random),
    connections: between(random, 8, 24),
    text: `${get('/v1.1/events?stream', hostile.key)}${get('/v1.1/openapi.json').repeat(pick(random, [0, 500]))}`,
    unreadMs,
  });
  const until = performance.now() + unreadMs - 500;
  while (performance.now() < until) {
    await hostile.api.call('POST', '/tags', { Name: `unread-${random()}` });
    await delay(25);
  }
  await reading;
};

/** Many connections that request the next document as soon as they have one. */
const readDocuments: Attack = async (fixture, random) => {
  const until = performance.now() + unreadMs;
  const { host, hostname, port } = new URL(fixture.baseUrl);
  const paths = pick<readonly string[]>(random, [documents, [document], ['/v1.1/hello']]);
  const headers = { Host: host, 'Accept-Encoding': pick(random, ['identity', 'gzip', 'br']) };
  const agent = new Agent({ ca: fixture.ca, keepAlive: true, maxSockets: 40 });
  const read = (path: string) =>
    new Promise<void>((resolve) => {
      const way = { agent, host: '127.0.0.1', port, servername: hostname, localAddress: addresses[0] };
      const sent = request({ ...way, path, headers, timeout: 10_000 }, (answer) => {
        answer.resume();
        answer.once('close', resolve);
      });
      sent.once('timeout', () => sent.destroy());
      sent.once('error', () => resolve());
      sent.end();
    });
  const client = async (path: string) => {
    while (performance.now() < until) await read(path);
  };
  await Promise.all(Array.from({ length: 40 }, (_, i) => client(paths[i % paths.length] ?? document)));
  agent.destroy();
};

/** Requests to the agents' port with unread answers, pipelined. */
const unreadAtTheAgentsPort: Attack = async (fixture, random) => {
  await leaveUnread(portsOf(fixture).agents, {
    from: someAddresses(random),
    connections: between(random, 100, 200),
    text: pick(random, [get('/install.sh'), get('/x'), 'GET /x HTTP/1.1\r\n\r\n']).repeat(4_000),
    unreadMs,
  });
  using connection = openHostile(fixture);
  const streams = Array.from({ length: 50 }, () => connection.open());
  await Promise.all(streams.map(({ end }) => end));
};

/** All attacks of clients that do not read, by name. */
export const unreadAttacks: Readonly<Record<string, Attack>> = {
  unreadDocuments,
  crowdOfUnreadDocuments,
  crowdOfShortestRequests,
  unreadBatches,
  unreadLists,
  unreadEvents,
  readDocuments,
  unreadAtTheAgentsPort,
};
