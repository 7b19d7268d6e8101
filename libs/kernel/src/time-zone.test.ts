import { expect, test } from 'vitest';
import { isZoneName, knownZone, zoneName, zoneOffset } from './time-zone.ts';

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['europe/berlin', 'Europe/Berlin'],
  ['EUROPE/BERLIN', 'Europe/Berlin'],
  ['utc', 'UTC'],
  ['etc/gmt+3', 'Etc/GMT+3'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['Berlin', undefined],
  ['+02:00', undefined],
  ['', undefined],
])('the zone %j is named %j', (given, name) => {
  expect(zoneName(given)).toBe(name);
  expect(isZoneName(given)).toBe(name !== undefined);
});

test('a zone that this runtime does not know counts as UTC', () => {
  expect(knownZone('Mars/Base')).toBe('UTC');
  expect(knownZone('Asia/Kolkata')).toBe('Asia/Kolkata');
  expect(zoneOffset('Mars/Base')(0)).toBe(0);
  expect(zoneOffset('Asia/Kolkata')(0)).toBe(330);
});
