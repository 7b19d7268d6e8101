import { expect, it } from 'vitest';
import { tracePlan } from './trace-plan.ts';

it.each([
  { method: 'TCP', code: 2, Address: '10.0.0.1:25', plan: { address: '10.0.0.1', port: 25, kind: 'tcp' } },
  {
    method: 'HTTP',
    code: 2,
    Address: '[2001:db8::1]:443',
    plan: { address: '2001:db8::1', port: 443, kind: 'tcp' },
  },
  {
    method: 'SSH',
    code: 2,
    Address: '10.0.0.1:22, 10.0.0.2:22',
    plan: { address: '10.0.0.1', port: 22, kind: 'tcp' },
  },
  {
    method: 'PING',
    code: 2,
    Address: '2001:db8::1',
    plan: { address: '2001:db8::1', port: 0, kind: 'icmp' },
  },
  { method: 'DNS', code: 2, Address: '10.0.0.53:53', plan: { address: '10.0.0.53', port: 53, kind: 'udp' } },
  { method: 'Script', code: 2, Address: '10.0.0.1:25', plan: undefined },
  { method: 'TCP', code: 3, Address: '10.0.0.1:25', plan: undefined },
  { method: 'TCP', code: 1, Address: '10.0.0.1:25', plan: undefined },
  { method: 'TCP', code: 2, Address: undefined, plan: undefined },
  { method: 'TCP', code: 2, Address: 'somewhere:25', plan: undefined },
] as const)('$method with code $code at $Address: $plan', ({ method, code, Address, plan }) => {
  expect(tracePlan(method, { code, extended: Address === undefined ? {} : { Address } })).toEqual(plan);
});
