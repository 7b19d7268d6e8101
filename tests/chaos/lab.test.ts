// Two scenes of the lab, so that a change that breaks alerts or the lab itself is noticed without `npm run lab`.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { netnsMissing } from '../harness/netns.ts';

const missing = netnsMissing();
const lab = path.resolve(import.meta.dirname, '../lab/lab.ts');

test.for([
  [
    'when a router dies with 20 devices behind it, one message about the router is sent to each contact',
    'router',
  ],
  ['a device that is let go while it is Down leaves no open incident, and Up is true', 'closed-elsewhere'],
])('%s', async ([, scene = ''], { skip }) => {
  skip(missing !== undefined, missing);
  const { stdout } = await promisify(execFile)(process.execPath, [lab, scene]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toMatch(new RegExp(`^equal +${scene}`, 'm'));
});
