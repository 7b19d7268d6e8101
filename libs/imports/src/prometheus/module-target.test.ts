import { probeFor } from '@vantage/probes';
import { expect, test } from 'vitest';
import { moduleTarget } from './module-target.ts';

test.each([
  [{ prober: 'grpc' }, 'api.example:9090', 'grpc://api.example:9090', {}],
  [
    {
      prober: 'grpc',
      grpc: { service: 'shop.v1.Orders', tls: true, tls_config: { insecure_skip_verify: true } },
    },
    'api.example:443',
    'grpcs://api.example:443',
    { Service: 'shop.v1.Orders', TLS: { Verify: false } },
  ],
  [
    { prober: 'grpc', grpc: { preferred_ip_protocol: 'ip4', ip_protocol_fallback: false } },
    '[2001:db8::1]:9090',
    'grpc://[2001:db8::1]:9090',
    { IPFamily: '4' },
  ],
])('the module %j asks for the health of a gRPC server', (module, address, url, options) => {
  const target = moduleTarget(module, address);
  if (typeof target === 'string') return expect.fail(target);
  const set = Object.fromEntries(
    Object.entries(target.options ?? {}).filter(([, value]) => value !== undefined),
  );
  expect({ ...target, options: set }).toEqual({ method: 'gRPC', url, options, lost: [] });
  const probe = probeFor('gRPC');
  expect(probe?.parseTarget(target.url)).toMatchObject({ ok: true });
  expect(probe?.options.safeParse(set).error).toBeUndefined();
});
