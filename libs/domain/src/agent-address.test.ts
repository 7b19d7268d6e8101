import { expect, test } from 'vitest';
import { addressesOf, agentAddresses } from './agent-address.ts';

const none = { agentUrls: [], publicUrl: undefined, listen: undefined, tlsNames: [] };
const here = { port: 8444, hostName: 'host' };

test.each([
  ['what the operator says', { agentUrls: ['https://a.example:1'] }, 'https://a.example:1'],
  ['the name of the API', { publicUrl: 'https://b.example/x', tlsNames: ['c'] }, 'https://b.example:8444'],
  ['the first further name', { tlsNames: ['c.example', 'd'], listen: '192.0.2.1' }, 'https://c.example:8444'],
  ['the address of VANTAGE_LISTEN', { listen: '2001:db8::1' }, 'https://[2001:db8::1]:8444'],
  ["this machine's name", { listen: '0.0.0.0' }, 'https://host:8444'],
])('the address of the agents is %s', (_what, set, expected) => {
  expect(agentAddresses({ ...none, ...set }, here)).toEqual([expected]);
});

test('several addresses of agents’ ports are a list with commas', () => {
  const agentUrls = addressesOf('https://a.example:1/, https://b.example:2');
  expect(agentAddresses({ ...none, agentUrls }, here)).toEqual([
    'https://a.example:1',
    'https://b.example:2',
  ]);
});
