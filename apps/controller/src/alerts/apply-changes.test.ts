import { expect, test } from 'vitest';
import { applyChanges } from './apply-changes.ts';
import type { AlertChange } from './changes.ts';
import type { ChangedDevice } from './open-alert.ts';

const device: ChangedDevice = {
  ...{ deviceNo: 1, deviceId: 'd'.repeat(48), shortName: 'web', fullName: null },
  ...{ severity: 'critical', recent: [] },
};
const context = { devices: new Map([[1, device]]), open: [], flappingWindowUs: 1_000, nowUs: 100 };
const about = { accountNo: 1, deviceNo: 1 };

function slowSince(sinceUs: number): AlertChange {
  return { kind: 'slow', ...about, sinceUs, facts: { CheckResult: `since ${sinceUs}` } };
}

test('a warning that goes on stays as it began', () => {
  const { alerts } = applyChanges([slowSince(10), slowSince(20)], context);
  expect(alerts).toMatchObject([
    { kind: 'device.slow', sinceUs: 10, opening: { CheckResult: 'since 10' }, isReopened: false },
  ]);
  const [open] = alerts;
  if (open === undefined) throw new Error('no alert');
  const stored = { ...open, alertNo: 7 };
  const partial: AlertChange = { kind: 'partial', ...about, facts: { CheckResult: 'HTTP 500' } };
  const next = applyChanges([slowSince(30), partial, partial], { ...context, open: [stored] });
  expect(next.alerts).toMatchObject([{ kind: 'device.partial', alertNo: null, sinceUs: 100 }]);
});

test('a device that does not exist any more has no new alert', () => {
  const down: AlertChange = {
    ...{ kind: 'down', ...about, sinceUs: 1, locationNo: 1, agentNo: 1, isLate: false, facts: {} },
  };
  const over: AlertChange = { kind: 'maintenance-over', ...about, sinceUs: 1 };
  const { alerts } = applyChanges([slowSince(10), down, over], { ...context, devices: new Map() });
  expect(alerts).toEqual([]);
});
