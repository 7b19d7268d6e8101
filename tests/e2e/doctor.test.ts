import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { repositoryRoot, startSystem } from '../harness/system.ts';

const findings = z.array(
  z.object({ level: z.string(), step: z.string(), text: z.string(), remedy: z.string().optional() }),
);

async function doctor(dataDir: string) {
  const asked = promisify(execFile)(path.join(repositoryRoot, 'vantage'), ['doctor', '--json'], {
    env: { ...process.env, VANTAGE_DATA: dataDir },
  });
  const { stdout, code } = await asked.then(
    (done) => ({ ...done, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  );
  const found = findings.parse(JSON.parse(stdout));
  return { code, found, bad: found.filter(({ level }) => level !== 'ok') };
}

test('the doctor finds nothing at a system that runs, names an agent that is away, and what is down after the end', {
  timeout: 240_000,
}, async () => {
  await using system = await startSystem();
  const { dataDir } = system;
  const well = await doctor(dataDir);
  expect(well.bad.filter(({ step }) => step !== 'disk')).toEqual([]);
  expect(well.code).toBe(0);
  expect(well.found.map(({ step }) => step)).toEqual([
    ...['data folder', 'disk', 'certificate', 'system', 'API', 'readiness', 'agents’ port', 'agents'],
  ]);
  expect(well.found.at(-1)?.text).toBe('1 of 1 are connected');

  await system.stop();
  const ended = await doctor(dataDir);
  expect(ended.code).toBe(1);
  expect(ended.bad.filter(({ level }) => level === 'fault').map(({ step }) => step)).toEqual([
    'system',
    'API',
  ]);
  for (const { remedy } of ended.bad) expect(remedy).toMatch(/\.$/);

  const nowhere = await doctor(path.join(dataDir, 'nothing'));
  expect(nowhere).toMatchObject({ code: 1, found: [{ step: 'data folder', level: 'fault' }] });
});
