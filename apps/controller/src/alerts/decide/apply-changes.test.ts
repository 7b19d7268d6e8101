import { type AlertState, type MessageFacts, newAlertState } from '@vantage/alerts';
import { expect, test } from 'vitest';
import { applyChanges } from './apply-changes.ts';
import type { AlertChange } from './changes.ts';
import type { ChangedDevice, OpenAlert } from './open-alert.ts';

const device: ChangedDevice = {
  deviceNo: 1,
  deviceId: 'd'.repeat(48),
  shortName: 'web',
  fullName: null,
  severity: 'critical',
  recent: [],
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
    kind: 'down',
    ...about,
    sinceUs: 1,
    locationNo: 1,
    agentNo: 1,
    isLate: false,
    facts: {},
  };
  const over: AlertChange = { kind: 'maintenance-over', ...about, sinceUs: 1 };
  const { alerts } = applyChanges([slowSince(10), down, over], { ...context, devices: new Map() });
  expect(alerts).toEqual([]);
});

test('only an outage that was confirmed, and is no flapping, is remembered by the alert that begins anew', () => {
  const activeUs = 20;
  const ended = { ...newAlertState('ended', 30), activeUs };
  const flapping = { sinceUs: 10, outages: 3, downUs: 5, downSinceUs: null, saidDownUs: {} };
  const again: Readonly<Record<string, AlertChange>> = {
    'device.down': {
      kind: 'down',
      ...about,
      sinceUs: 50,
      locationNo: 1,
      agentNo: 1,
      isLate: false,
      facts: {},
    },
    'device.slow': slowSince(50),
  };
  const pastOf = (kind: 'device.down' | 'device.slow', state: AlertState, ending: MessageFacts | null) => {
    const change = again[kind];
    const open: OpenAlert = {
      alertNo: 7,
      kind,
      accountNo: 1,
      device,
      locationNo: null,
      agentNo: null,
      severity: 'critical',
      sinceUs: 10,
      state,
      opening: {},
      ending,
      endedUp: true,
      isReopened: false,
      dueUs: null,
    };
    const { alerts } = applyChanges(change === undefined ? [] : [change], { ...context, open: [open] });
    expect(alerts).toMatchObject([{ kind, sinceUs: 50, isReopened: true, ending: null, endedUp: false }]);
    return alerts[0]?.state.past;
  };
  const up = { At: 25 };
  expect(pastOf('device.down', ended, up)).toEqual([{ activeUs, sinceUs: 10, upUs: 25 }]);
  expect(pastOf('device.down', ended, null)).toEqual([]);
  expect(pastOf('device.down', { ...ended, activeUs: null }, up)).toEqual([]);
  expect(pastOf('device.down', { ...ended, flapping }, up)).toEqual([]);
  expect(pastOf('device.slow', ended, up)).toEqual([]);
});

test('the end of an outage counts for flapping only where it was confirmed, or one before it was', () => {
  const down: AlertChange = {
    kind: 'down',
    ...about,
    sinceUs: 50,
    locationNo: 1,
    agentNo: 1,
    isLate: false,
    facts: {},
  };
  const [begun] = applyChanges([down], context).alerts;
  if (begun === undefined) throw new Error('no alert');
  const endOf = (state: Partial<AlertState>) => {
    const open: OpenAlert = { ...begun, alertNo: 7, state: { ...begun.state, ...state } };
    const up: AlertChange = { ...down, kind: 'up', sinceUs: 80 };
    const { alerts } = applyChanges([up], { ...context, open: [open] });
    return alerts.map(({ endedUp, state: { phase } }) => ({ endedUp, phase }));
  };
  const past = [{ activeUs: 20, sinceUs: 10, upUs: 30 }];
  expect(endOf({ activeUs: null, past: [] })).toEqual([{ phase: 'ended', endedUp: false }]);
  expect(endOf({ activeUs: 60, past: [] })).toMatchObject([{ endedUp: true }]);
  expect(endOf({ activeUs: null, past })).toMatchObject([{ endedUp: true }]);
});
