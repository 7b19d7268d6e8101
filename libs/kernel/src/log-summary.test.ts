import { expect, test } from 'vitest';
import { createLogSummary } from './log-summary.ts';
import { createFakeClock } from './testing/fake-clock.ts';

function scene() {
  const lines: (readonly [object, string])[] = [];
  const clock = createFakeClock();
  const line = (data: object, text: string) => void lines.push([data, text]);
  const log = { warn: line, error: line };
  return { lines, clock, summary: createLogSummary({ clock, log }) };
}

test('the first occurrence is a line at once, a flood is one line a minute with its count', async () => {
  const { lines, clock, summary } = scene();
  for (let i = 0; i < 10_000; i += 1) summary.count('refused', { from: i });
  expect(lines).toEqual([[{ from: 0 }, 'refused']]);
  await clock.advance(60_000);
  expect(lines.slice(1)).toEqual([[{ from: 9_999, times: 9_999, seconds: 60 }, 'refused']]);
  summary.count('refused', { from: 'later' });
  expect(lines).toHaveLength(2);
  await clock.advance(60_000);
  expect(lines).toHaveLength(3);
  await clock.advance(60_000);
  expect([lines.length, clock.pending]).toEqual([3, 0]);
  summary.count('refused', { from: 'new' });
  expect(lines).toHaveLength(4);
});

test('disposing it writes the counts that are left', () => {
  const { lines, clock, summary } = scene();
  for (const from of [1, 2]) summary.count('refused', { from });
  summary.count('failed', {});
  summary[Symbol.dispose]();
  expect(lines.at(-1)).toEqual([{ from: 2, times: 1 }, 'refused']);
  expect([lines.length, clock.pending]).toEqual([3, 0]);
});
