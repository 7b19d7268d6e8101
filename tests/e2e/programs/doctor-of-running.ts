import { expect, test } from 'vitest';
import { doctor } from './doctor.ts';
import { system } from './system.ts';

test('the doctor finds nothing at a system that runs', { timeout: 240_000 }, async () => {
  const well = await doctor(system.dataDir);
  // Nobody made a backup of this system; the other tests may leave work undone.
  expect(well.bad.filter(({ step, text }) => step !== 'disk' && !text.includes('no backup'))).toEqual([]);
  expect(well.code).toBe(0);
  expect(well.found.map(({ step }) => step)).toEqual([
    'data folder',
    'disk',
    'key file',
    'certificate',
    'system',
    'API',
    'readiness',
    'agents’ port',
    'PING',
    'agents',
  ]);
  expect(well.found.at(-1)?.text).toBe('1 of 1 are connected');
});
