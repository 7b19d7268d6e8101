import path from 'node:path';
import { expect, test } from 'vitest';
import { doctor } from './doctor.ts';
import { system } from './system.ts';

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
