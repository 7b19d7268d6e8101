import { expect, test } from 'vitest';
import { createJobParts } from './job-parts.ts';

test('a part that fails is logged once, and once when it works again; the others go on', async () => {
  const lines: unknown[] = [];
  const log = {
    warn: (data: object, text: string) => void lines.push([data, text]),
    info: (data: object, text: string) => void lines.push([data, text]),
  };
  const parts = createJobParts({ log, failed: 'failed', recovered: 'works again' });
  const fail = () => Promise.reject(new Error('no'));
  expect(await parts.attempt('one', fail)).toBe(false);
  expect(await parts.attempt('one', fail)).toBe(false);
  expect(await parts.attempt('two', async () => {})).toBe(true);
  expect(await parts.attempt('one', async () => {})).toBe(true);
  expect(lines).toEqual([
    [{ job: 'one', error: 'no' }, 'failed'],
    [{ job: 'one' }, 'works again'],
  ]);
});
