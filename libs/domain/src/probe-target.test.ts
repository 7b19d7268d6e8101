import { expect, test } from 'vitest';
import { probeTarget } from './probe-target.ts';

test.each([
  ['HTTP', 'https://me:pw@www.example.org/x', 'https://www.example.org/x'],
  ['SSH', 'ssh://me@host.example', 'host.example:22'],
  ['LDAP', 'ldaps://cn=me:pw@ldap.example', 'ldap.example:636'],
  ['LDAP', '2001:db8::1', '[2001:db8::1]:389'],
  ['SSH', '[2001:db8::1]', '[2001:db8::1]:22'],
  ['SSH', 'cafe:2222', 'cafe:2222'],
  ['NTP', 'ntp.example:1123', 'ntp.example:1123'],
  ['RADIUS', 'radius.example', 'radius.example:1812'],
  ['SIP', 'sip:sip.example', 'sip.example:5060'],
  ['SIP', 'sips:sip.example', 'sip.example:5061'],
  ['UDP', 'udp://game.example:27015', 'game.example:27015'],
  ['Domain', 'domain:example.org', 'example.org'],
] as const)('the target of %s %s', (method, url, target) => {
  expect(probeTarget(method, url)).toBe(target);
});
