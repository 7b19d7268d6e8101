import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import { createBusyMeter } from './busy-meter.ts';

test('the share is that of the time since the last reading of at least a second before', async () => {
  const clock = createFakeClock();
  const totals = { active: 5_000, idle: 95_000 };
  const meter = createBusyMeter({ clock, read: () => ({ ...totals }) });
  expect(meter.permille()).toBe(0);
  totals.active += 750;
  totals.idle += 250;
  await clock.advance(999);
  expect(meter.permille()).toBe(0);
  await clock.advance(1);
  expect(meter.permille()).toBe(750);
  totals.idle += 10_000;
  await clock.advance(500);
  expect(meter.permille()).toBe(750);
  await clock.advance(9_500);
  expect(meter.permille()).toBe(0);
});

test('a thread that works without a pause is busy by its own measure', () => {
  let atMs = 0;
  const meter = createBusyMeter({ clock: { monoMs: () => atMs } });
  const untilMs = performance.now() + 20;
  while (performance.now() < untilMs);
  atMs = 1000;
  expect(meter.permille()).toBeGreaterThan(900);
});
