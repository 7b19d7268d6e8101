// An outage of the monitoring must not become an outage of a device. An agent is cut off for minutes in five scenes
// that run side by side, each in its own network namespaces. Each scene reports when its targets really failed.
import { beforeEach, describe, expect, test } from 'vitest';
import { netnsMissing } from '../harness/netns.ts';
import { statusEvents } from '../harness/status-events.ts';
import { play as playFor, type Report } from './cut-report.ts';

const minutes = Number(process.env['CHAOS_CUT_MINUTES'] ?? 7);
const missing = netnsMissing();
const play = (tag: string, scene: string) => playFor(tag, scene, minutes);

/** Checks of a device that began within the cut. */
const inCut = (seen: Report, device: Report['devices'][number]) =>
  device.checks.filter((check) => {
    const at = Date.parse(check.Timestamp);
    return at >= seen.cutAt && at < seen.healedAt;
  });

const parts = (device: Report['devices'][number]) => device.uptime.Uptime;
const types = (device: Report['devices'][number]) => statusEvents(device.events.map((event) => event.Type));
const sumOf = (u: ReturnType<typeof parts>) =>
  u.UpSeconds + u.DownSeconds + u.MaintenanceSeconds + u.UnknownSeconds;

describe(`an agent cut off for ${minutes} minutes`, () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test.concurrent('only the link to the controller is cut: every check arrives, and an outage within the cut is recorded as it was', async () => {
    const seen = await play('s1', 'control');
    for (const [i, device] of seen.devices.entries()) {
      expect(inCut(seen, device).filter((check) => check.ResultCode !== 10).length).toBeGreaterThanOrEqual(
        minutes - 1,
      );
      expect(device.device.Status).toBe('Up');
      expect(parts(device).UnknownSeconds).toBeLessThanOrEqual(1);
      expect(sumOf(parts(device))).toBe(Math.floor(seen.healedAt / 1000) - Math.floor(seen.cutAt / 1000));
      const down = i === 0 ? Math.round(((seen.truth.returnedAt ?? 0) - (seen.truth.diedAt ?? 0)) / 1000) : 0;
      expect(Math.abs(parts(device).DownSeconds - down)).toBeLessThanOrEqual(i === 0 ? 62 : 0);
      expect(types(device).filter((type) => type === 'Down').length).toBe(i === 0 ? 1 : 0);
    }
  });

  test.concurrent('the uplink is dead and targets are behind it: no device is recorded as Down', async () => {
    const seen = await play('s2', 'uplink');
    for (const device of seen.devices) {
      expect(types(device)).not.toContain('Down');
      expect(parts(device).DownSeconds).toBe(0);
      expect(parts(device).UnknownSeconds).toBeGreaterThan(minutes * 60 - 90);
      expect(inCut(seen, device).filter((check) => ![1, 10].includes(check.ResultCode))).toEqual([]);
      expect(device.device.Status).toBe('Up');
    }
  });

  test.concurrent('a device dies in the cut and stays dead: Down since then, once', async () => {
    const seen = await play('s3', 'death');
    for (const [i, device] of seen.devices.entries()) {
      expect(device.device.Status).toBe(i === 0 ? 'Down' : 'Up');
      expect(types(device).filter((type) => type === 'Down').length).toBe(i === 0 ? 1 : 0);
      if (i > 0) expect(parts(device).DownSeconds).toBe(0);
      else {
        const since = Date.parse(device.device.StatusSince ?? '');
        expect(since - (seen.truth.diedAt ?? 0)).toBeGreaterThan(-1000);
        expect(since - (seen.truth.diedAt ?? 0)).toBeLessThan(66_000);
      }
    }
  });

  test.concurrent('a second Location continues meanwhile: the outage is recorded at once, and no device is Unknown', async () => {
    const seen = await play('s4', 'second');
    for (const [i, device] of seen.devices.entries()) {
      expect(device.device.Status).toBe('Up');
      expect(parts(device).UnknownSeconds).toBe(0);
      const down = device.events.filter((event) => event.Type === 'Down');
      expect(down.length).toBe(i === 0 ? 1 : 0);
      expect(down.every((event) => !event.Late)).toBe(true);
      expect(new Set(inCut(seen, device).map((check) => check.Location))).toEqual(new Set(['A', 'B']));
    }
  });

  test.concurrent('a second agent takes over in the middle: no check is lost, and no device is Down', async () => {
    const seen = await play('s5', 'takeover');
    for (const device of seen.devices) {
      expect(device.device.Status).toBe('Up');
      expect(types(device)).not.toContain('Down');
      expect(parts(device).UnknownSeconds).toBeLessThanOrEqual(1);
      expect(inCut(seen, device).length).toBeGreaterThanOrEqual(minutes - 1);
    }
  });
});
