// unbound with records of the zone real.test.
import type { CertificateFiles } from '@vantage/testing/certificates';
import { freePort } from '@vantage/testing/free-port';
import { packages, type Server, type ServersFixture, serve, write } from './servers-fixture.ts';

/** The DNSKEY of real.test at unbound; no zone of the tests is signed, so any key works. */
export const dnsKey =
  '257 3 13 mdsswUyr3DPW132mOi8V9xESWE8jTo0dxCjjnopKl+GqJxpVXckHAeF+KkxLbxILfDLUT0rAK9iUzy1L53eKGQ==';

/** Records of real.test at unbound, as zone files write them. */
const records = (serial: number) => [
  `real.test. SOA ns.real.test. admin.real.test. ${serial} 3600 600 86400 60`,
  'real.test. NS ns.real.test.',
  'real.test. NS ns2.real.test.',
  'real.test. MX 10 mail.real.test.',
  'real.test. MX 20 mail2.real.test.',
  'real.test. TXT "v=spf1 -all"',
  'real.test. CAA 0 issue ca.test',
  `real.test. DNSKEY ${dnsKey}`,
  'www.real.test. A 192.0.2.10',
  'www.real.test. AAAA 2001:db8::10',
  'alias.real.test. CNAME www.real.test.',
  '_sip._tcp.real.test. SRV 1 2 5060 sip.real.test.',
  '10.2.0.192.in-addr.arpa. PTR www.real.test.',
];

/** unbound over UDP, TCP and TLS. */
export async function startUnbound(
  fixture: ServersFixture,
  tls: CertificateFiles,
  serial = 2026,
): Promise<Server & { readonly tlsPort: number }> {
  const [port, tlsPort] = [await freePort(), await freePort()];
  const data = records(serial).map((each) => `local-data: '${each}'`);
  // Enough records that no datagram can contain them all.
  for (let i = 10; i < 40; i += 1) data.push(`local-data: 'big.real.test. TXT "${'x'.repeat(200)}${i}"'`);
  const conf = write(
    fixture.folder,
    `unbound-${port}.conf`,
    `server:
  interface: 127.0.0.1@${port}
  interface: 127.0.0.1@${tlsPort}
  tls-port: ${tlsPort}
  tls-service-key: ${tls.key}
  tls-service-pem: ${tls.cert}
  do-daemonize: no
  username: ""
  chroot: ""
  directory: ${fixture.folder}
  pidfile: ""
  use-syslog: no
  num-threads: 1
  module-config: iterator
  local-zone: real.test. static
  local-zone: 2.0.192.in-addr.arpa. static
  ${data.join('\n  ')}
remote-control:
  control-enable: no
`,
  );
  return { ...(await serve(port, packages.unbound, ['-d', '-c', conf])), tlsPort };
}
