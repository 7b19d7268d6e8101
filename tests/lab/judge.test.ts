import { describe, expect, it, test } from 'vitest';
import { withFolded } from './folded.ts';
import {
  type DeviceOutcome,
  deviceDifferences,
  messageDifferences,
  sequenceDifferences,
  unlessCounted,
} from './judge.ts';
import { createTruth } from './truth.ts';

const same = <T>(value: T) => ({ expected: value, got: value });
const tolerance = { downSeconds: 12, unknownSeconds: 5, maintenanceSeconds: 1 };
const device: DeviceOutcome = {
  name: 'web',
  status: same('Up'),
  outages: same(0),
  downSeconds: same(0),
  maintenanceSeconds: same(0),
  unknownSeconds: same(0),
  sumSeconds: same(100),
};

describe('the verdict of a scene', () => {
  it('misses no message that a grouped e-mail counts, and each one where the count is another', () => {
    const missing = ['mail device.down a: 1 expected, 0 sent', 'mail device.down b: 1 expected, 0 sent'];
    const other = 'hook device.down a: 1 expected, 0 sent';
    expect(unlessCounted([...missing, other], 2)).toEqual([other]);
    for (const counted of [0, 1, 3])
      expect(unlessCounted([...missing, other], counted)).toEqual([...missing, other]);
  });

  it('names each message that is missing, was sent twice or was not expected', () => {
    const expected = new Map([
      ['hook device.down router', 1],
      ['hook device.up router', 1],
    ]);
    expect(messageDifferences(expected, expected)).toEqual([]);
    const got = new Map([
      ['hook device.down router', 2],
      ['hook device.down web', 1],
    ]);
    expect(messageDifferences(expected, got)).toEqual([
      'hook device.down router: 1 expected, 2 sent',
      'hook device.down web: 0 expected, 1 sent',
      'hook device.up router: 1 expected, 0 sent',
    ]);
  });

  it('names an Up that arrives before its Down', () => {
    const good = [
      'device.down web',
      'device.down dev-1',
      'device.up dev-1',
      'device.up web',
      'device.down web',
    ];
    expect(sequenceDifferences('hook', good)).toEqual([]);
    expect(sequenceDifferences('mail', ['device.up web', 'device.down web', 'location.online B'])).toEqual([
      'mail: device.up web arrived after nothing',
      'mail: location.online B arrived after nothing',
    ]);
  });

  it('allows the time of a check at an outage, and not one second down without an outage', () => {
    expect(deviceDifferences(device, tolerance)).toEqual([]);
    expect(deviceDifferences({ ...device, downSeconds: { expected: 40, got: 31 } }, tolerance)).toEqual([]);
    expect(deviceDifferences({ ...device, downSeconds: { expected: 40, got: 27 } }, tolerance)).toEqual([
      'web: seconds down: 40.0 expected (± 12.0), 27 recorded',
    ]);
    expect(deviceDifferences({ ...device, downSeconds: { expected: 0, got: 1 } }, tolerance)).toEqual([
      'web: seconds down: 0.0 expected (± 0.0), 1 recorded',
    ]);
    expect(deviceDifferences({ ...device, status: { expected: 'Up', got: 'Down' } }, tolerance)).toEqual([
      'web: Status: Up expected, Down recorded',
    ]);
  });
});

describe('the record of what a scene did', () => {
  it('joins the reasons of an outage that overlap, and maintenance hides them', () => {
    let nowMs = 0;
    const at = (ms: number, deed: () => void) => {
      nowMs = ms;
      deed();
    };
    const truth = createTruth(() => nowMs);
    at(0, () => truth.begin('dev-1', 'down', 'self'));
    at(1000, () => truth.begin('dev-1', 'down', 'router'));
    at(4000, () => truth.end('dev-1', 'down', 'self'));
    at(6000, () => truth.end('dev-1', 'down', 'router'));
    at(6500, () => truth.end('dev-1', 'down', 'router'));
    const period = { fromMs: 2000, toMs: 10_000 };
    expect(truth.seconds('dev-1', period)).toEqual({ down: 4, unknown: 0, maintenance: 0 });
    expect(truth.outages('dev-1', period)).toBe(1);
    at(7000, () => truth.begin('dev-1', 'maintenance', 'window'));
    at(8000, () => truth.begin('dev-1', 'down', 'self'));
    expect(truth.outages('dev-1', period)).toBe(1);
    at(9000, () => truth.end('dev-1', 'maintenance', 'window'));
    expect(truth.seconds('dev-1', period)).toEqual({ down: 5, unknown: 0, maintenance: 2 });
    expect(truth.outages('dev-1', period)).toBe(2);
    expect(truth.seconds('web', period)).toEqual({ down: 0, unknown: 0, maintenance: 0 });
    expect(truth.outages('web', period)).toBe(0);
  });
});

test('an Up in an e-mail of several stands for the Down that no e-mail had, if that was decided shortly before', () => {
  const mails = [
    { messages: ['device.down a'], atMs: 1000 },
    { messages: ['device.up a', 'device.up b', 'device.up c', 'device.down d'], atMs: 9000 },
    { messages: ['device.up b'], atMs: 9500 },
  ];
  const downs = [
    { about: 'a', atMs: 1000 },
    { about: 'b', atMs: 5000 },
    { about: 'c', atMs: 500 },
  ];
  expect(withFolded(mails, { downs, mostMs: 6000 })).toEqual([
    ['device.down a'],
    ['device.up a', 'device.down b', 'device.up b', 'device.up c', 'device.down d'],
    ['device.up b'],
  ]);
});
