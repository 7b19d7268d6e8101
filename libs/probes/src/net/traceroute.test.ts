import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createTestNetwork, type TestNetwork, whyNoNamespaces } from '@vantage/icmp/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TraceJob } from '../testing/trace.ts';
import { traceDiagnostics, traceroute } from './traceroute.ts';

const script = fileURLToPath(new URL('../testing/trace.ts', import.meta.url));
const reason = whyNoNamespaces();

describe('a traceroute through a router', () => {
  let network: TestNetwork;
  beforeEach(({ skip }) => skip(reason !== undefined, reason));
  beforeAll(() => {
    if (reason === undefined) network = createTestNetwork();
  });
  afterAll(() => network?.[Symbol.dispose]());

  function trace(order: TraceJob): unknown[] {
    const args = ['netns', 'exec', network.here, process.execPath, script, JSON.stringify(order)];
    return JSON.parse(execFileSync('ip', args, { encoding: 'utf8' }));
  }

  it.each(['icmp', 'udp', 'tcp'] as const)('finds router and target by %s over IPv4 and IPv6', (kind) => {
    const { router, target } = network;
    const common = { port: 9, kind, deadlineMs: 10_000 };
    const seen = trace({
      traces: [
        { ...common, address: target.v4 },
        { ...common, address: target.v6 },
      ],
    });
    for (const [index, family] of (['v4', 'v6'] as const).entries()) {
      expect(seen[index]).toMatchObject({
        ok: true,
        reached: true,
        hops: [
          { ttl: 1, address: router[family], rttMs: expect.any(Number) },
          { ttl: 2, address: target[family], rttMs: expect.any(Number) },
        ],
      });
    }
  });

  it('ends at the router that knows no way', () => {
    const [seen] = trace({ traces: [{ address: 'fd99::1', port: 9, kind: 'icmp', deadlineMs: 10_000 }] });
    expect(seen).toMatchObject({
      reached: false,
      hops: [{ ttl: 1, address: network.router.v6, text: 'no route to destination' }],
    });
  });

  it('keeps to its deadline and to what it saw when the rest is silent', () => {
    network.run('router', ['ip', 'route', 'add', 'blackhole', '10.92.0.0/24']);
    const [seen] = trace({
      traces: [{ address: '10.92.0.1', port: 80, kind: 'tcp', deadlineMs: 700 }],
    });
    expect(seen).toMatchObject({ ok: true, reached: false });
    expect(seen).toMatchObject({ tookMs: expect.toSatisfy((ms: number) => ms < 10_000) });
  });

  it('needs a right for ICMP and says which, but none for TCP', () => {
    network.set('here', 'ipv4/ping_group_range', '1 0');
    const common = { address: network.target.v4, port: 9, deadlineMs: 5000 };
    const traces = [
      { ...common, kind: 'icmp' as const },
      { ...common, kind: 'tcp' as const },
    ];
    const [icmp, tcp] = trace({ asNobody: true, traces });
    expect(icmp).toMatchObject({ ok: false, reason: expect.stringContaining('needs CAP_NET_RAW') });
    expect(tcp).toMatchObject({ ok: true, reached: true });
  });
});

it('ends at once when its signal aborts', async () => {
  const signal = AbortSignal.abort();
  const seen = await traceroute({ address: '192.0.2.1', port: 9, kind: 'udp', deadlineMs: 10_000, signal });
  expect(seen).toEqual({ ok: true, hops: [], reached: false });
});

it('is diagnostics in the style of the API', () => {
  const hops = [
    { ttl: 1, address: '192.0.2.1', rttMs: 0.12345, text: undefined },
    { ttl: 2, address: undefined, rttMs: undefined, text: undefined },
    { ttl: 3, address: '192.0.2.9', rttMs: 2, text: 'host unreachable' },
  ];
  expect(traceDiagnostics({ ok: true, reached: false, hops })).toEqual({
    Reached: false,
    Hops: [
      { TTL: 1, Address: '192.0.2.1', RTTMs: 0.123 },
      { TTL: 2, Address: null, RTTMs: null },
      { TTL: 3, Address: '192.0.2.9', RTTMs: 2, Text: 'host unreachable' },
    ],
  });
  expect(traceDiagnostics({ ok: false, reason: 'needs it' })).toEqual({ NotPossible: 'needs it' });
});
