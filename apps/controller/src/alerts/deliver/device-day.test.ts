import { expect, test } from 'vitest';
import { partOf } from './device-day.ts';

test.each([
  ['Down', { DownSeconds: 1, UpSeconds: 1_799 }],
  ['Up', { UpSeconds: 900, MaintenanceSeconds: 500, UnknownSeconds: 400 }],
  ['Up', { UpSeconds: 900, MaintenanceSeconds: 900 }],
  ['Maint', { UpSeconds: 400, MaintenanceSeconds: 900, UnknownSeconds: 500 }],
  ['Maint', { MaintenanceSeconds: 900, UnknownSeconds: 900 }],
  ['Unknown', { UpSeconds: 400, MaintenanceSeconds: 500, UnknownSeconds: 900 }],
])('half an hour is %s after %j', (part, seconds) => {
  const none = { UpSeconds: 0, DownSeconds: 0, MaintenanceSeconds: 0, UnknownSeconds: 0 };
  expect(partOf({ ...none, ...seconds })).toBe(part);
});
