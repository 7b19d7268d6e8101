import { equivalentAddresses } from '@vantage/kernel';
import { expect, test } from 'vitest';
import type { AgentPolicy } from './agent-policy.ts';
import { loadPolicy } from './policy-file.ts';

function policyOf(file?: object): AgentPolicy {
  const loaded = loadPolicy(file === undefined ? undefined : JSON.stringify(file));
  if (!loaded.ok) throw new Error(loaded.problems.join('; '));
  return loaded.policy;
}

const refuses = (policy: AgentPolicy, address: string, port = 80) =>
  policy.refuse({ address, port, method: 'TCP' }) !== undefined;

/** Every spelling under which a socket would reach 169.254.169.254. */
const metadataSpellings = [
  '169.254.169.254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '0000:0000:0000:0000:0000:FFFF:A9FE:A9FE',
  '::169.254.169.254',
  '::a9fe:a9fe',
  '::ffff:0:169.254.169.254',
  '64:ff9b::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:FF9B:0:0:0:0:A9FE:A9FE',
  '64:ff9b:1::a9fe:a9fe',
  '64:ff9b:1:abcd::169.254.169.254',
  '2002:a9fe:a9fe::1',
  '2002:a9fe:a9fe:1:2:3:4:5',
  '2001:0:4136:e378:8000:63bf:5601:5601',
  'fe80::5efe:169.254.169.254',
  'fe80::200:5efe:a9fe:a9fe',
  '::ffff:169.254.169.254%eth0',
  '[::ffff:a9fe:a9fe]',
];

test('traps and syslog are received only where the file says so', () => {
  expect(policyOf()).toMatchObject({ traps: undefined, syslog: undefined });
  const policy = policyOf({
    Traps: { Listen: '162' },
    Syslog: { Listen: '[2001:db8::1]:514', Contains: ['fan'] },
  });
  expect(policy.traps).toEqual({ Listen: { address: '', port: 162 } });
  expect(policy.syslog).toEqual({
    Listen: { address: '2001:db8::1', port: 514 },
    MaxSeverity: 3,
    Contains: ['fan'],
  });
  expect(policyOf({ Traps: { Listen: '192.0.2.1:1162' } }).traps?.Listen).toEqual({
    address: '192.0.2.1',
    port: 1162,
  });
});

test.each(['', 'host:162', '192.0.2.1', '0', '65536', '1.2.3:162', '[::1]'])(
  '%j is no address to listen on',
  (Listen) => {
    const loaded = loadPolicy(JSON.stringify({ Traps: { Listen } }));
    expect(loaded).toEqual({
      ok: false,
      problems: [
        'policy file, Traps.Listen: must be a port, or an address and a port: 162, 192.0.2.1:162, [2001:db8::1]:162',
      ],
    });
  },
);

test.each(metadataSpellings)('without a policy file the metadata address is refused as %s', (address) => {
  expect(refuses(policyOf(), address)).toBe(true);
});

test.each(['fd00:ec2::254', 'fd00:0ec2:0::0254', '169.254.170.2', '100.100.100.200', '192.0.0.192'])(
  'without a policy file %s is refused',
  (address) => {
    expect(refuses(policyOf(), address)).toBe(true);
  },
);

test.each(['127.0.0.1', '10.0.0.1', '::1', '8.8.8.8', '2001:db8::1', '169.254.1.1', 'fe80::1%eth0'])(
  'without a policy file %s is allowed',
  (address) => {
    expect(refuses(policyOf(), address)).toBe(false);
  },
);

test.each(metadataSpellings)('a network that is denied is denied as %s too', (address) => {
  expect(refuses(policyOf({ CloudMetadata: true }), address)).toBe(false);
  expect(refuses(policyOf({ CloudMetadata: true, Networks: { Deny: ['169.254.0.0/16'] } }), address)).toBe(
    true,
  );
});

test('with a list of networks every other address is refused, in every spelling', () => {
  const policy = policyOf({ Networks: { Allow: ['10.0.0.0/8', '2001:db8::/32'], Deny: ['10.9.0.0/16'] } });
  expect(refuses(policy, '10.1.2.3')).toBe(false);
  expect(refuses(policy, '::ffff:10.1.2.3')).toBe(false);
  expect(refuses(policy, '10.9.2.3')).toBe(true);
  expect(refuses(policy, '192.168.1.1')).toBe(true);
  expect(refuses(policy, '2001:db8:1::1')).toBe(false);
  expect(refuses(policy, '64:ff9b::10.1.2.3')).toBe(true);
  expect(refuses(policy, 'name.example')).toBe(true);
  expect(refuses(policy, '')).toBe(true);
});

test('the file limits ports, methods, scripts and the rate', () => {
  const policy = policyOf({
    Ports: { Allow: [443, '8000-8999'], Deny: [8080] },
    Methods: ['TCP', 'HTTP', 'PING', 'Script'],
    Scripts: false,
    ChecksPerMinute: 600,
  });
  expect(refuses(policy, '10.0.0.1', 443)).toBe(false);
  expect(refuses(policy, '10.0.0.1', 8500)).toBe(false);
  expect(refuses(policy, '10.0.0.1', 8080)).toBe(true);
  expect(refuses(policy, '10.0.0.1', 25)).toBe(true);
  expect(policy.refuse({ address: '10.0.0.1', port: 0, method: 'PING' })).toBeUndefined();
  expect(policy.refuseMethod('SSH')).toBe("SSH is not allowed by this agent's policy");
  expect(policy.refuseMethod('Script')).toBe("scripts are switched off by this agent's policy");
  expect(policy.checksPerMinute).toBe(600);
});

test.each([
  ['{', 'not JSON'],
  ['{"Network": {}}', 'Network'],
  ['{"Networks": {"Allow": ["10.0.0.0/33"]}}', 'Networks.Allow.0'],
  ['{"Ports": {"Deny": ["9-1"]}}', 'Ports.Deny.0'],
  ['{"Methods": ["tcp"]}', 'Methods.0'],
])('a policy file %s is refused with the place of the error', (text, where) => {
  const loaded = loadPolicy(text);
  expect(loaded.ok ? '' : loaded.problems.join('\n')).toContain(where);
});

test('a plain IPv6 address carries no IPv4 address', () => {
  expect(equivalentAddresses('2001:db8::1')).toEqual(['2001:db8:0:0:0:0:0:1']);
  expect(equivalentAddresses('::1')).toEqual(['0:0:0:0:0:0:0:1']);
});

test('the unspecified address is this machine', () => {
  expect(equivalentAddresses('0.0.0.0')).toEqual(['0.0.0.0', '127.0.0.1']);
  expect(equivalentAddresses('::')).toEqual(['0:0:0:0:0:0:0:0', '0:0:0:0:0:0:0:1', '127.0.0.1']);
  for (const denied of ['127.0.0.0/8', '127.0.0.1']) {
    const policy = policyOf({ Networks: { Deny: [denied] } });
    for (const each of ['0.0.0.0', '::', '::ffff:0.0.0.0', '::ffff:0:0'])
      expect(refuses(policy, each)).toBe(true);
  }
  expect(refuses(policyOf({ Networks: { Deny: ['::1'] } }), '::')).toBe(true);
});

test('an answer stays the same, however many other addresses were asked about', () => {
  const policy = policyOf({ Networks: { Deny: ['10.0.0.0/8'] } });
  const addresses = Array.from(
    { length: 25_000 },
    (_, at) => `${at % 2 === 0 ? 10 : 11}.0.${at >> 8}.${at & 255}`,
  );
  for (let round = 0; round < 2; round += 1)
    expect(addresses.filter((address) => refuses(policy, address))).toEqual(
      addresses.filter((address) => address.startsWith('10.')),
    );
});
