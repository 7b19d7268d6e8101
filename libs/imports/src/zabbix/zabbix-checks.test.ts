import { expect, test } from 'vitest';
import { simpleCheckTarget } from './zabbix-checks.ts';

test.each([
  ['net.udp.service[ntp]', { method: 'NTP', url: '192.0.2.2' }],
  ['net.udp.service.perf[ntp,ntp.example.org,1123]', { method: 'NTP', url: 'ntp.example.org:1123' }],
  ['net.tcp.service[ldap]', { method: 'LDAP', url: '192.0.2.2' }],
  ['net.tcp.service[ldap,,3389]', { method: 'LDAP', url: '192.0.2.2:3389' }],
  ['net.tcp.service[tcp,,7]', { method: 'TCP', url: 'tcp://192.0.2.2:7' }],
  ['net.udp.service[dns]', 'is the simple check net.udp.service[dns], for which there is no Method'],
])('%s', (key, target) => {
  expect(simpleCheckTarget(key, '192.0.2.2')).toEqual(target);
});

test('a check without an address', () => {
  expect(simpleCheckTarget('net.udp.service[ntp]', undefined)).toBe('has no address');
});
