// An agent whose uplink fails for two minutes continues to check the devices of its own subnet. These results count,
// and only the devices that it could not reach become Unknown. In real time, in network namespaces.
import { expect, test } from 'vitest';
import { netnsMissing } from '../harness/netns.ts';
import { play, type Report } from './cut-report.ts';

const minutes = 2;
const missing = netnsMissing();

type Device = Report['devices'][number];
const seconds = (ms: number) => Math.floor(ms / 1000);
const statusEvents = (device: Device) =>
  device.events.flatMap(({ Type }) => (['Up', 'Down', 'Unknown'].includes(Type) ? [Type] : [])).reverse();

test('during a dead uplink, devices of the own subnet keep their true history, and only the coverage of remote devices ends', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const seen = await play('s6', 'subnet', minutes);
  const cutSeconds = seconds(seen.healedAt) - seconds(seen.cutAt);
  const [dies, stays, ...beyond] = seen.devices;
  if (dies === undefined || stays === undefined) throw new Error('the scene has four devices');

  expect(stays.uptime.Uptime).toEqual({
    UpSeconds: cutSeconds,
    DownSeconds: 0,
    MaintenanceSeconds: 0,
    UnknownSeconds: 0,
    Outages: 0,
  });
  expect(statusEvents(stays)).toEqual(['Up']);

  // Down from the end of the first check that failed.
  const firstBad = Math.min(
    ...dies.checks.flatMap((check) => (check.ResultCode === 3 ? [Date.parse(check.Timestamp)] : [])),
  );
  const down = seconds(seen.healedAt - firstBad);
  expect(down).toBeGreaterThan(30);
  expect(Math.abs(dies.uptime.Uptime.DownSeconds - down)).toBeLessThanOrEqual(1);
  expect(dies.uptime.Uptime).toMatchObject({ MaintenanceSeconds: 0, UnknownSeconds: 0, Outages: 1 });
  expect(statusEvents(dies)).toEqual(['Up', 'Down']);
  const downAt = Date.parse(dies.events.find(({ Type }) => Type === 'Down')?.Timestamp ?? '');
  expect(downAt).toBeGreaterThan(firstBad);
  expect(downAt).toBeLessThan(seen.healedAt);
  expect(dies.device.Status).toBe('Down');

  for (const device of beyond) {
    expect(device.uptime.Uptime.DownSeconds).toBe(0);
    expect(device.uptime.Uptime.Outages).toBe(0);
    expect(device.uptime.Uptime.UnknownSeconds).toBeGreaterThanOrEqual(cutSeconds - 75);
    expect(statusEvents(device)).toEqual(['Up']);
    expect(device.device.Status).toBe('Up');
  }
  const ofLocations = seen.events.map(({ Type }) => Type).filter((type) => type.startsWith('Location'));
  expect(ofLocations.reverse()).toEqual(['LocationOffline', 'LocationOnline']);
});
