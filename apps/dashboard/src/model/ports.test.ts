import { expect, test } from 'vitest';
import { portCounts, portsOf, shortName } from './ports.ts';

const check = {
  Extended: {
    System: { Name: 'sw' },
    Interfaces: [
      { Name: 'g2', Status: 'Down', Index: 2, Alias: 'uplink' },
      { Name: 'g1', Status: 'Up', Index: 1, Speed: 1_000_000 },
      { Name: 'g3', Status: 'Missing' },
      { Name: 'g4', Status: 'Down', Index: 4, Expect: 'Any' },
      { Name: 'g5', Status: 'Up', Index: 5, Expect: 'Down' },
      'nonsense',
    ],
  },
  Values: [
    { Label: 'g1 in bit/s', Value: 250_000, Unit: 'bit/s' },
    { Label: 'g1 out bit/s', Value: 820_000, Unit: 'bit/s' },
    { Label: 'g1 errors/s', Value: 0, Unit: '/s' },
    { Label: 'g2 in bit/s', Value: 5, Unit: 'bit/s' },
  ],
};

test('ports are in the order of the device, with the rates of the check; unknown ones are null, never 0', () => {
  const ports = portsOf(check);
  expect(ports.map(({ name }) => name)).toEqual(['g1', 'g2', 'g4', 'g5', 'g3']);
  expect(ports[0]).toMatchObject({
    inBits: 250_000,
    outBits: 820_000,
    errors: 0,
    utilisation: 0.82,
    isUnmet: false,
  });
  expect(ports[1]).toMatchObject({
    alias: 'uplink',
    outBits: null,
    speed: null,
    utilisation: null,
    isUnmet: true,
  });
  expect(ports.map(({ isUnmet }) => isUnmet)).toEqual([false, true, false, true, true]);
  expect(portCounts(ports)).toEqual({ up: 1, unmet: 3, other: 1 });
});

test('a check of another kind has no ports', () => {
  expect(portsOf({ Extended: { Status: 200 }, Values: [] })).toEqual([]);
});

test('the short name of a port is its number', () => {
  expect(['ge-0/0/17', 'Gi1/0/3', 'eth0', 'uplink', 'lo'].map(shortName)).toEqual([
    '17',
    '3',
    '0',
    'upli',
    'lo',
  ]);
});
