import { expect, test } from 'vitest';
import { createLatenessMeter, nothingMeasured } from './lateness-meter.ts';

test('a period has its own median, 99th percentile and counts, and the totals go on', () => {
  const meter = createLatenessMeter();
  for (let lateMs = 100; lateMs >= 1; lateMs -= 1) meter.started(lateMs);
  meter.skipped(3);
  expect(meter.take()).toEqual({ p50Ms: 51, p99Ms: 100, started: 100, skipped: 3 });
  expect(meter.take()).toEqual(nothingMeasured);
  meter.started(7);
  expect(meter.take()).toEqual({ p50Ms: 7, p99Ms: 7, started: 1, skipped: 0 });
  expect(meter.totals).toEqual({ started: 101, skipped: 3 });
});

test('of many checks the last 20,000 are measured, and all are counted', () => {
  const meter = createLatenessMeter();
  for (let lateMs = 0; lateMs <= 20_000; lateMs += 1) meter.started(lateMs);
  expect(meter.take()).toMatchObject({ p50Ms: 10_001, started: 20_001 });
});
