import path from 'node:path';
import { expect, test } from 'vitest';
import { doctor } from './run-doctor.ts';
import { system } from './system.ts';

test('the doctor finds nothing at a system that runs', { timeout: 240_000 }, async () => {
  const well = await doctor(system.dataDir);
  // Nobody made a backup of this system.
  expect(well.bad.filter(({ step, text }) => step !== 'disk' && !text.includes('no backup'))).toEqual([]);
  expect(well.code).toBe(0);
  expect(well.found.map(({ step }) => step)).toEqual([
    'data folder',
    'disk',
    'sums',
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

test('the doctor names what is down after the end of a system, and says what to do', {
  timeout: 240_000,
}, async () => {
  await system.stop();
  const ended = await doctor(system.dataDir);
  expect(ended.code).toBe(1);
  expect(ended.bad.filter(({ level }) => level === 'fault').map(({ step }) => step)).toEqual([
    'system',
    'API',
  ]);
  for (const { remedy } of ended.bad) expect(remedy).toMatch(/\.$/);

  const nowhere = await doctor(path.join(system.dataDir, 'nothing'));
  expect(nowhere).toMatchObject({ code: 1, found: [{ step: 'data folder', level: 'fault' }] });
});
