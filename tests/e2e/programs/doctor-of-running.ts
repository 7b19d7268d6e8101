import { expect, test } from 'vitest';
import { doctor } from './doctor.ts';
import { system } from './system.ts';

test('the doctor finds nothing at a system that runs', { timeout: 240_000 }, async () => {
  const well = await doctor(system.dataDir);
  expect(well.bad.filter(({ step }) => step !== 'disk')).toEqual([]);
  expect(well.code).toBe(0);
  expect(well.found.map(({ step }) => step)).toEqual([
    'data folder',
    'disk',
    'certificate',
    'system',
    'API',
    'readiness',
    'agents’ port',
    'agents',
  ]);
  expect(well.found.at(-1)?.text).toBe('1 of 1 are connected');
});
