// Chooses the program for the launcher. Prints the seconds of a trial (0: none), the folder of the program to start,
// and the file of the trial, one per line. Arguments: the folder of the installed program, and the end of the last
// start: an exit status, or `late`. It runs as the agent's user.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { messageOf } from '@vantage/kernel';
import { loadConfig } from '../config/agent-config.ts';
import { planLaunch } from './launch-plan.ts';
import type { LastStart } from './select-version.ts';

const [home = '', ended = ''] = process.argv.slice(2);
const { env } = process;
const settings = loadConfig({ env, cwd: process.cwd(), readText: (file) => readFileSync(file, 'utf8') });
const outcome: LastStart = ended === 'late' ? { kind: 'late' } : { kind: 'ended', status: Number(ended) };
try {
  if (!settings.ok) throw new Error('the settings are wrong');
  const { dataDir, releaseKeyFile, testTimeScale } = settings.config;
  const { program, seconds, trialFile, text } = await planLaunch({ home, dataDir, releaseKeyFile, outcome });
  if (text !== undefined) console.error(`vantage-agent: ${text}`);
  console.log([Math.ceil(seconds / testTimeScale), program, trialFile].join('\n'));
} catch (error) {
  console.error(`vantage-agent: the installed program is started, because ${messageOf(error)}`);
  console.log(['0', home, ''].join('\n'));
}
