import fc from 'fast-check';
import { expect, test } from 'vitest';
import { guessMethod } from './guess-method.ts';

test.each([
  ['https://www.example.org/path', 'HTTP', 'https://www.example.org/path', 'example'],
  ['192.0.2.1', 'PING', '192.0.2.1', '0-2-1'],
  ['router.cellar.example', 'PING', 'router.cellar.example', 'router'],
  ['ssh://admin@host-1.example:2222', 'SSH', 'admin@host-1.example:2222', 'host-1'],
  ['snmp://switch-1.example', 'SNMP', 'switch-1.example', 'switch-1'],
  ['imaps://mail.example', 'IMAP4', 'imaps://mail.example', 'mail'],
  ['udp://game.example:27015', 'UDP', 'game.example:27015', 'game'],
  ['ntp://ntp.example', 'NTP', 'ntp.example', 'ntp'],
  ['radius://radius.example', 'RADIUS', 'radius.example', 'radius'],
  ['sips://sip.example', 'SIP', 'sips://sip.example', 'sip'],
  ['sip:sip.example', 'SIP', 'sip.example', 'sip'],
  ['sips:sip.example:5071', 'SIP', 'sips://sip.example:5071', 'sip'],
  ['domain:example.org', 'Domain', 'example.org', 'example'],
  ['ldaps://ldap.example', 'LDAP', 'ldaps://ldap.example', 'ldap'],
  ['127.0.0.1:5433', 'TCP', '127.0.0.1:5433', '0-0-1'],
  ['rediss://me@cache-1.example/2', 'Redis', 'rediss://me@cache-1.example/2', 'cache-1'],
  ['cache.example:6379', 'Redis', 'cache.example:6379', 'cache'],
  ['postgres://me@pg-1.example/shop', 'PostgreSQL', 'me@pg-1.example/shop', 'pg-1'],
  ['127.0.0.1:5432', 'PostgreSQL', '127.0.0.1:5432', '0-0-1'],
  ['mqtts://broker.example', 'MQTT', 'mqtts://broker.example', 'broker'],
  ['broker.example:1883', 'MQTT', 'broker.example:1883', 'broker'],
  ['wss://live.example/feed?a=1', 'WebSocket', 'wss://live.example/feed?a=1', 'live'],
  ['grpcs://api.example', 'gRPC', 'grpcs://api.example', 'api'],
  ['grpc://api.example:9090', 'gRPC', 'api.example:9090', 'api'],
  ['smtps://mail.example', 'SMTP', 'smtps://mail.example', 'mail'],
  ['[2001:db8::1]:25', 'SMTP', '[2001:db8::1]:25', 'db8-1'],
  ['example.org:443', 'HTTP', 'https://example.org:443', 'example'],
  ['example.org/health', 'HTTP', 'https://example.org/health', 'example'],
])('of %s the Method %s is guessed', (pasted, method, url, shortName) => {
  expect(guessMethod(pasted)).toMatchObject({ method, url, shortName });
});

test('a guessed short name is one that the API accepts', () => {
  fc.assert(
    fc.property(fc.webUrl(), (url) => {
      expect(guessMethod(url)?.shortName).toMatch(/^[0-9a-zA-Z-]{0,8}$/);
    }),
  );
});
