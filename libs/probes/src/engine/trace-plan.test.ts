import { expect, it } from 'vitest';
import { requestedTrace, tracePlan } from './trace-plan.ts';

it.each([
  {
    method: 'TCP',
    code: 2,
    peers: [{ address: '10.0.0.1', port: 25 }],
    plan: { address: '10.0.0.1', port: 25, kind: 'tcp' },
  },
  {
    method: 'HTTP',
    code: 2,
    peers: [{ address: '2001:db8::1', port: 443 }],
    plan: { address: '2001:db8::1', port: 443, kind: 'tcp' },
  },
  {
    method: 'SSH',
    code: 2,
    peers: [
      { address: '10.0.0.1', port: 22 },
      { address: '10.0.0.2', port: 22 },
    ],
    plan: { address: '10.0.0.1', port: 22, kind: 'tcp' },
  },
  {
    method: 'PING',
    code: 2,
    peers: [{ address: '2001:db8::1', port: 0 }],
    plan: { address: '2001:db8::1', port: 0, kind: 'icmp' },
  },
  {
    method: 'DNS',
    code: 2,
    peers: [{ address: '10.0.0.53', port: 53 }],
    plan: { address: '10.0.0.53', port: 53, kind: 'udp' },
  },
  { method: 'Script', code: 2, peers: [{ address: '10.0.0.1', port: 25 }], plan: undefined },
  { method: 'TCP', code: 3, peers: [{ address: '10.0.0.1', port: 25 }], plan: undefined },
  { method: 'TCP', code: 1, peers: [{ address: '10.0.0.1', port: 25 }], plan: undefined },
  { method: 'TCP', code: 2, peers: [], plan: undefined },
] as const)('$method with code $code at $peers: $plan', ({ method, code, peers, plan }) => {
  expect(tracePlan(method, { code, peers, text: 'no answer' })).toEqual(plan);
});

it('a requested traceroute follows every result that has an address', () => {
  const peers = [{ address: '10.0.0.1', port: 25 }];
  expect(requestedTrace('SMTP', { peers, text: '220 mail' })).toEqual({
    ok: true,
    plan: { address: '10.0.0.1', port: 25, kind: 'tcp' },
  });
  expect(requestedTrace('TCP', { peers: [], text: 'name not resolved' })).toEqual({
    ok: false,
    reason: 'its check came to no address (name not resolved)',
  });
  expect(requestedTrace('Script', { peers, text: 'ok' })).toMatchObject({ ok: false });
});
