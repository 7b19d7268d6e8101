import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test, vi } from 'vitest';
import { createAlarm } from './alarm.ts';

function createFixture() {
  const clock = createFakeClock();
  const rings: number[] = [];
  const timers = vi.spyOn(clock, 'timer');
  const alarm = createAlarm({ clock, ring: () => void rings.push(clock.monoMs()) });
  return { clock, rings, timers, alarm };
}

test('the earliest call that was asked for is made, with no more timers than are needed', async () => {
  const { clock, rings, timers, alarm } = createFixture();
  for (const ms of [500, 500, 700, 100, 100]) alarm.after(ms);
  expect(timers.mock.calls.map(([ms]) => ms)).toEqual([500, 100]);
  await clock.advance(2000);
  expect(rings).toEqual([100]);
  alarm.after(300);
  await clock.advance(300);
  expect(rings).toEqual([100, 2300]);
});

test('a call comes after 1 ms at the earliest and after a second at the latest, and 4 ms after the one before', async () => {
  const { clock, rings, alarm } = createFixture();
  for (const ms of [0, 0, 3.5, 5000, -7]) {
    alarm.after(ms);
    await clock.advance(rings.length === 3 ? 999 : 4);
  }
  await clock.advance(1000);
  expect(rings).toEqual([1, 5, 12, 1012]);
  alarm.after(10);
  alarm[Symbol.dispose]();
  await clock.advance(5000);
  expect(rings).toHaveLength(4);
});
