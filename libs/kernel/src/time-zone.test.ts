import { expect, test } from 'vitest';
import { isZoneName, zoneName } from './time-zone.ts';

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
