import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createTestNetwork, type TestNetwork, whyNoNamespaces } from '@vantage/icmp/testing';
import { retryBecause } from '@vantage/testing/retry';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Measurement } from '../contract/probe.ts';
import type { CheckJob } from '../testing/check-job.ts';

const script = fileURLToPath(new URL('../testing/check-job.ts', import.meta.url));
const why =
  whyNoNamespaces() ??
  (spawnSync('nft', ['--version']).error ? 'the command nft (Debian: nftables) is not installed' : undefined);

/** A web server in a namespace of its own, for the time of a test. */
async function serveWeb(network: TestNetwork) {
  const source = `require('node:http').createServer((q, s) => s.end('ok ' + q.socket.remoteAddress))
    .listen(8080, '::', () => console.log('listening'))`;
  const child = spawn('ip', ['netns', 'exec', network.targetName, process.execPath, '-e', source]);
  await once(child.stdout, 'data');
  return { [Symbol.dispose]: () => void child.kill() };
}

describe('packets in a network with a router', () => {
  let network: TestNetwork;
  beforeEach(({ skip }) => skip(why !== undefined, why));
  beforeAll(() => {
    if (why !== undefined) return;
    network = createTestNetwork();
    network.set('here', 'ipv4/ping_group_range', '0 2147483647');
    network.run('here', ['ip', 'addr', 'add', '10.91.1.3/24', 'dev', 'wire']);
    network.run('here', ['ip', '-6', 'addr', 'add', 'fd91:1::3/64', 'dev', 'wire', 'nodad']);
  });
  afterAll(() => network?.[Symbol.dispose]());

  function check(job: CheckJob): Measurement[] {
    const args = ['netns', 'exec', network.here, process.execPath, script, JSON.stringify(job)];
    return JSON.parse(execFileSync('ip', args, { encoding: 'utf8' }));
  }

  /** Counts the packets that pass the router and fit each rule while `work` runs. */
  function counted(rules: readonly string[], work: () => void): number[] {
    const nft = (text: string) => network.run('router', ['nft', text]);
    nft('add table inet counting');
    try {
      nft('add chain inet counting pass { type filter hook forward priority 0; }');
      for (const rule of rules) nft(`add rule inet counting pass ${rule} counter`);
      work();
      const text = network.run('router', ['nft', 'list', 'chain', 'inet', 'counting', 'pass']);
      return [...text.matchAll(/counter packets (\d+)/g)].map(([, count]) => Number(count));
    } finally {
      nft('delete table inet counting');
    }
  }

  test.each([
    { asNobody: false, kind: 'raw' },
    { asNobody: true, kind: 'datagram' },
  ])('pings of a $kind socket carry DSCP and SourceAddress', ({ asNobody }) => {
    const { target } = network;
    const options = { Count: 2, IntervalMs: 10, DSCP: 'EF' };
    let seen: Measurement[] = [];
    const counts = counted(
      [
        'ip daddr 10.91.2.2 ip dscp ef',
        'ip daddr 10.91.2.2 ip saddr 10.91.1.3 ip dscp ef',
        'ip6 daddr fd91:2::2 ip6 dscp ef',
        'ip6 daddr fd91:2::2 ip6 saddr fd91:1::3 ip6 dscp ef',
        'ip daddr 10.91.2.2 ip dscp 0',
      ],
      () => {
        seen = check({
          asNobody,
          checks: [
            { method: 'PING', url: target.v4, options: { ...options, SourceAddress: '10.91.1.3' } },
            { method: 'PING', url: target.v6, options: { ...options, SourceAddress: 'fd91:1::3' } },
            { method: 'PING', url: target.v4, options: { ...options, SourceAddress: 'wire' } },
            { method: 'PING', url: target.v4, options: { Count: 1 } },
          ],
        });
      },
    );
    expect(seen.map(({ code, text }) => [code, text.replace(/mean.*/, '')])).toEqual([
      [1, '2 of 2 answered, '],
      [1, '2 of 2 answered, '],
      [1, '2 of 2 answered, '],
      [1, '1 of 1 answered, '],
    ]);
    expect(counts).toEqual([4, 2, 2, 2, 1]);
  });

  test('every packet of TCP and HTTP carries DSCP and SourceAddress, the first one included', async () => {
    using _web = await serveWeb(network);
    const marked = { DSCP: 'AF41' };
    let seen: Measurement[] = [];
    const counts = counted(
      [
        'ip saddr 10.91.1.3 tcp dport 8080 tcp flags syn ip dscp af41',
        'ip saddr 10.91.1.3 tcp dport 8080 ip dscp != af41',
        'ip6 saddr fd91:1::3 tcp dport 8080 tcp flags syn ip6 dscp af41',
        'ip6 saddr fd91:1::3 tcp dport 8080 ip6 dscp != af41',
      ],
      () => {
        seen = check({
          checks: [
            { method: 'TCP', url: '10.91.2.2:8080', options: { ...marked, SourceAddress: '10.91.1.3' } },
            {
              method: 'HTTP',
              url: 'http://10.91.2.2:8080/',
              options: { ...marked, SourceAddress: '10.91.1.3', ExpectText: '10.91.1.3' },
            },
            {
              method: 'HTTP',
              url: 'http://[fd91:2::2]:8080/',
              options: { ...marked, SourceAddress: 'fd91:1::3', ExpectText: 'fd91:1::3' },
            },
            { method: 'HTTP', url: 'http://10.91.2.2:8080/', options: { ExpectText: '10.91.1.2' } },
          ],
        });
      },
    );
    expect(seen.map(({ code, text }) => `${code} ${text}`)).toEqual([
      '1 connected to 10.91.2.2:8080',
      '1 200 OK',
      '1 200 OK',
      '1 200 OK',
    ]);
    expect(counts).toEqual([2, 0, 1, 0]);
  });

  test('a marked connection that is refused, or gets no answer, ends as any other', () => {
    const seen = check({
      checks: [
        { method: 'TCP', url: '10.91.2.2:9', options: { DSCP: '8' } },
        { method: 'TCP', url: '10.91.2.77:9', options: { DSCP: '8', SourceAddress: '10.91.1.3' } },
        { method: 'TCP', url: '10.91.2.2:9', options: { SourceAddress: '10.99.0.1' } },
      ],
    });
    expect(seen.map(({ code }) => code)).toEqual([3, 2, 10]);
    expect(seen[0]?.text).toBe('connection refused by 10.91.2.2:9');
    expect(seen[2]?.text).toBe(
      "this agent's host does not have the address 10.99.0.1 (SourceAddress) on an interface that is up",
    );
  });

  describe('over a link of 1400 bytes', retryBecause('it waits for packets that are lost'), () => {
    beforeAll(() => {
      if (why !== undefined) return;
      network.run('router', ['ip', 'link', 'set', 'far', 'mtu', '1400']);
    });

    const big = { Count: 2, IntervalMs: 10, DontFragment: true, Size: 1452 };
    test.each([
      { asNobody: false, kind: 'raw' },
      { asNobody: true, kind: 'datagram' },
    ])('a $kind socket finds the path MTU, and the router that names it', ({ asNobody }) => {
      const { router, target } = network;
      const [v4, v6, fits, large] = check({
        asNobody,
        checks: [
          { method: 'PING', url: target.v4, options: { ...big, Size: 1472 } },
          { method: 'PING', url: target.v6, options: big },
          { method: 'PING', url: target.v4, options: { ...big, Size: 1372 } },
          { method: 'PING', url: target.v4, options: { ...big, DontFragment: false, Size: 1372 } },
        ],
      });
      expect(v4?.text).toBe(
        `packets of 1500 bytes do not pass unfragmented: path MTU 1400 at hop ${router.v4}`,
      );
      expect(v6?.text).toBe(
        `packets of 1500 bytes do not pass unfragmented: path MTU 1400 at hop ${router.v6}`,
      );
      expect([v4?.code, v6?.code, fits?.code, large?.code]).toEqual([7, 7, 1, 1]);
    });

    test.each([
      { asNobody: false, kind: 'raw' },
      { asNobody: true, kind: 'datagram' },
    ])('a $kind socket finds a black hole', ({ asNobody }) => {
      const nft = (text: string) => network.run('router', ['nft', text]);
      nft('add table inet hole');
      try {
        nft('add chain inet hole out { type filter hook output priority 0; }');
        nft('add rule inet hole out icmp type destination-unreachable drop');
        nft('add rule inet hole out icmpv6 type packet-too-big drop');
        const { target } = network;
        const [v4, v6] = check({
          asNobody,
          checks: [
            { method: 'PING', url: target.v4, options: { ...big, Size: 1472 }, timeoutMs: 8000 },
            { method: 'PING', url: target.v6, options: big, timeoutMs: 8000 },
          ],
        });
        for (const seen of [v4, v6]) {
          expect(seen?.code).toBe(7);
          expect(seen?.text).toBe(
            'packets of 1500 bytes do not pass unfragmented: path MTU 1400, and no router says so (black hole)',
          );
        }
      } finally {
        nft('delete table inet hole');
      }
    });

    test('a packet over the MTU of the own interface is 10', () => {
      const [seen] = check({
        checks: [{ method: 'PING', url: network.router.v4, options: { ...big, Size: 8972 } }],
      });
      expect(seen).toMatchObject({
        code: 10,
        text: 'packets of 9000 bytes do not pass unfragmented: path MTU 1500 at the interface of this agent: lower Size',
      });
    });
  });
});
