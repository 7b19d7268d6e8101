import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IcmpJob } from './testing/icmp-job.ts';
import { createTestNetwork, type TestNetwork, whyNoNamespaces } from './testing/test-network.ts';

const script = fileURLToPath(new URL('./testing/icmp-job.ts', import.meta.url));
const reason = whyNoNamespaces();

describe('in a network with a router', () => {
  let network: TestNetwork;
  beforeEach(({ skip }) => skip(reason !== undefined, reason));
  beforeAll(() => {
    if (reason === undefined) network = createTestNetwork();
  });
  afterAll(() => network?.[Symbol.dispose]());

  function look(what: IcmpJob): unknown[] {
    const args = ['netns', 'exec', network.here, process.execPath, script, JSON.stringify(what)];
    return JSON.parse(execFileSync('ip', args, { encoding: 'utf8' }));
  }
  const ping = (address: string, ttl = 0) => ({ address, size: 56, timeoutMs: 5000, ttl });

  describe.each([
    { kind: 'raw', asNobody: false },
    { kind: 'datagram', asNobody: true },
  ])('a $kind socket', ({ kind, asNobody }) => {
    beforeAll(() => {
      if (reason === undefined) network.set('here', 'ipv4/ping_group_range', '0 2147483647');
    });

    it('matches replies, expired lifetimes and unreachable hosts over IPv4', () => {
      const { router, target } = network;
      const requests = [ping(target.v4), ping(target.v4, 1), ping('10.91.2.77')];
      const answers = look({ asNobody, pings: { family: 4, requests } });
      expect(answers).toMatchObject([
        { kind },
        { kind: 'reply', from: target.v4, ttl: 63, bytes: 56 },
        { kind: 'error', reason: 'time-exceeded', from: router.v4 },
        { kind: 'error', reason: 'unreachable', text: 'host unreachable', from: router.v4 },
      ]);
    });

    it('matches replies, expired lifetimes and unreachable hosts over IPv6', () => {
      const { router, target } = network;
      const requests = [ping(target.v6), ping(target.v6, 1), ping('fd99::1')];
      const answers = look({ asNobody, pings: { family: 6, requests } });
      expect(answers).toMatchObject([
        { kind },
        { kind: 'reply', from: target.v6, ttl: 63, bytes: 56 },
        { kind: 'error', reason: 'time-exceeded', from: router.v6 },
        { kind: 'error', reason: 'unreachable', text: 'no route to destination', from: router.v6 },
      ]);
    });
  });

  it('says which right is missing', () => {
    network.set('here', 'ipv4/ping_group_range', '1 0');
    const [answer] = look({ asNobody: true, pings: { family: 4, requests: [] } });
    expect(answer).toEqual({
      error:
        'no right to open an ICMP socket: needs CAP_NET_RAW, or group 65534 in net.ipv4.ping_group_range (now 1 0: no group)',
    });
  });

  it('finds the hops of UDP and TCP without any right', () => {
    const { router, target } = network;
    const common = { port: 9, timeoutMs: 5000 };
    const v4 = { ...common, family: 4, address: target.v4 } as const;
    const v6 = { ...common, family: 6, address: target.v6 } as const;
    const hops = ([v4, v6] as const).flatMap((way) => [
      { ...way, kind: 'udp' as const, ttl: 1 },
      { ...way, kind: 'udp' as const, ttl: 2 },
      { ...way, kind: 'tcp' as const, ttl: 1 },
      { ...way, kind: 'tcp' as const, ttl: 2 },
    ]);
    const expected = (hop: string, end: string) => [
      { kind: 'error', reason: 'time-exceeded', from: hop },
      { kind: 'error', reason: 'unreachable', text: 'port unreachable', from: end },
      { kind: 'error', reason: 'time-exceeded', from: hop },
      { kind: 'reached', text: 'refused', from: end },
    ];
    expect(look({ asNobody: true, hops })).toMatchObject([
      ...expected(router.v4, target.v4),
      ...expected(router.v6, target.v6),
    ]);
  });
});
