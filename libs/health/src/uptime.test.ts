import { expect, test } from 'vitest';
import { timeline } from './timeline.ts';
import { uptime } from './uptime.ts';

const s = 1_000_000;
const span = (from: number, to: number) => ({ fromUs: from * s, toUs: to * s });
const facts = {
  createdUs: 10 * s,
  intervals: [
    { fromUs: 10 * s, status: 'Unknown' as const },
    { fromUs: 20 * s, status: 'Up' as const },
    { fromUs: 60 * s, status: 'Down' as const },
    { fromUs: 90 * s, status: 'Up' as const },
  ],
  coverage: [span(10, 200)],
  maintenance: [],
};

test('the seconds of all states add up to the period', () => {
  expect(uptime(facts, span(0, 100))).toEqual({
    UpSeconds: 50,
    DownSeconds: 30,
    MaintenanceSeconds: 0,
    UnknownSeconds: 20,
    ExcludedSeconds: 0,
    Outages: 1,
    ExcludedOutages: 0,
  });
});

test('maintenance goes before all else and hides an outage that lies wholly in it', () => {
  const maintenance = [span(50, 80), span(70, 95)];
  expect(uptime({ ...facts, maintenance }, span(0, 100))).toMatchObject({
    MaintenanceSeconds: 45,
    DownSeconds: 0,
    Outages: 0,
  });
});

test('an outage without coverage in the middle is one outage', () => {
  const coverage = [span(10, 65), span(75, 200)];
  expect(uptime({ ...facts, coverage }, span(0, 100))).toMatchObject({ DownSeconds: 20, Outages: 1 });
  expect(timeline({ ...facts, coverage }, span(55, 100)).map((one) => one.status)).toEqual([
    'Up',
    'Down',
    'Unknown',
    'Down',
    'Up',
  ]);
});
