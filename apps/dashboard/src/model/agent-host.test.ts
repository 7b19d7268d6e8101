import { expect, test } from 'vitest';
import { hostOf, reachOf, suggestedEndpoint, typedEndpoint } from './agent-host.ts';

test.each([
  ['localhost', 'own'],
  ['LOCALHOST.', 'own'],
  ['vantage.localhost', 'own'],
  ['127.0.0.1', 'own'],
  ['127.8.0.1', 'own'],
  ['::1', 'own'],
  ['my-laptop', 'name'],
  ['nas.local', 'name'],
  ['vantage.home.arpa', 'name'],
  ['10.20.0.1', 'private'],
  ['172.20.0.1', 'private'],
  ['172.32.0.1', 'public'],
  ['192.168.1.7', 'private'],
  ['100.64.0.9', 'private'],
  ['fd00::7', 'private'],
  ['fe80::1', 'private'],
  ['2001:db8::1', 'public'],
  ['203.0.113.7', 'public'],
  ['vantage.example.org', 'public'],
] as const)('%s reaches: %s', (host, reach) => {
  expect(reachOf(host)).toBe(reach);
});

test('the host by which the page is open is suggested only if more hosts know it', () => {
  const port = 'https://my-laptop:8444';
  expect(suggestedEndpoint(port, 'vantage.example.org')).toBe('https://vantage.example.org:8444');
  expect(suggestedEndpoint(port, '192.168.1.7')).toBe('https://192.168.1.7:8444');
  expect(suggestedEndpoint(port, '[2001:db8::1]')).toBe('https://[2001:db8::1]:8444');
  expect(suggestedEndpoint(port, 'localhost')).toBeUndefined();
  expect(suggestedEndpoint('https://vantage.example.org:8444', '192.168.1.7')).toBeUndefined();
  expect(suggestedEndpoint('https://vantage.example.org:8444', 'vantage.example.org')).toBeUndefined();
  expect(suggestedEndpoint('', 'vantage.example.org')).toBeUndefined();
});

test.each([
  ['vantage.example.org', 'https://vantage.example.org:8444'],
  [' https://vantage.example.org/ ', 'https://vantage.example.org:8444'],
  ['vantage.example.org:9000', 'https://vantage.example.org:9000'],
  ['https://vantage.example.org:443', 'https://vantage.example.org:443'],
  ['[2001:db8::1]', 'https://[2001:db8::1]:8444'],
  ['', undefined],
  ['two words', undefined],
  ['vantage.example.org/path', undefined],
  ['user@vantage.example.org', undefined],
  ['https://', undefined],
] as const)('typed %j is %s', (text, endpoint) => {
  expect(typedEndpoint(text, 'https://my-laptop:8444')).toBe(endpoint);
});

test('the host of an address has no brackets', () => {
  expect(hostOf('https://[2001:db8::1]:8444')).toBe('2001:db8::1');
  expect(hostOf('vantage')).toBeUndefined();
});
