import { generateKeyPairSync } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readReleaseKey, releaseKeyLine } from '@vantage/domain';
import { afterAll, expect, test } from 'vitest';
import { root } from './src/root.ts';
import { runScript, scriptFolder } from './src/testing/run-script.ts';

const workFolder = mkdtempSync(path.join(tmpdir(), 'vantage-scripts-'));
afterAll(() => rmSync(workFolder, { recursive: true }));

test.each([
  ['the version that is confirmed', '0'],
  ['a version on trial', '5'],
])('Node runs %s with a small heap', (_, seconds) => {
  const home = path.join(workFolder, `home${seconds}`);
  mkdirSync(path.join(home, 'bin'), { recursive: true });
  const node = `#!/bin/sh
case $1 in
*/select.mjs) printf '${seconds}\\n${home}\\n${home}/trial\\n' ;;
*) echo "$MALLOC_ARENA_MAX $*" ;;
esac
`;
  writeFileSync(path.join(home, 'bin/node'), node, { mode: 0o755 });
  copyFileSync(path.join(scriptFolder, 'vantage-agent'), path.join(home, 'bin/vantage-agent'));
  const { output } = runScript(path.join(home, 'bin/vantage-agent'), 'run');
  const flags = '--max-semi-space-size=4 --max-old-space-size=512 --no-parallel-scavenge';
  expect(output).toBe(`2 ${flags} ${home}/lib/agent.mjs ${home}\n`);
  const container = JSON.stringify(['/opt/vantage-agent/bin/node', ...flags.split(' ')]).slice(1, -1);
  const image = readFileSync(path.join(scriptFolder, 'Dockerfile'), 'utf8').replaceAll('", "', '","');
  expect(image).toContain(container);
  expect(image).toContain('MALLOC_ARENA_MAX=2');
});

test('the end of a log of more than 16 MiB is copied, and the log is truncated in place', () => {
  const log = path.join(workFolder, 'vantage-agent.log');
  const command = path.join(workFolder, 'vantage-agent');
  const text = readFileSync(path.join(scriptFolder, 'vantage-agent'), 'utf8');
  writeFileSync(command, text.replace('log=/var/log/vantage-agent.log', `log=${log}`));
  const limit = 16 * 1024 * 1024;
  const short = 'x'.repeat(limit);
  writeFileSync(log, short);
  const writer = openSync(log, 'a');
  expect(runScript('sh', command, 'limit_log')).toMatchObject({ status: 0, output: '' });
  expect(statSync(log).size).toBe(limit);
  writeSync(writer, 'the end\n');
  expect(runScript('sh', command, 'limit_log')).toMatchObject({ status: 0, output: '' });
  writeSync(writer, 'the start\n');
  closeSync(writer);
  expect(readFileSync(log, 'utf8')).toBe('the start\n');
  expect(readFileSync(`${log}.1`, 'utf8') === `${short.slice(8)}the end\n`).toBe(true);
});

test('a host of version 0.2.0 gets its release key by the lines of docs/operate.md', () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const line = releaseKeyLine(publicKey);
  const page = readFileSync(path.join(root, 'docs/operate.md'), 'utf8');
  const [, steps = ''] = /```sh\n(echo 'LINE'[\s\S]*?)```/.exec(page) ?? [];
  const settings = path.join(workFolder, 'agent-of-0.2.0');
  mkdirSync(settings);
  writeFileSync(path.join(settings, 'agent.env'), 'VANTAGE_AGENT_DATA=/var/lib/vantage-agent\n');
  const localSteps = steps
    .replaceAll('LINE', line)
    .replaceAll('/etc/vantage-agent', settings)
    .replace('vantage-agent start', 'echo started');
  expect(runScript('sh', '-ec', localSteps)).toMatchObject({ status: 0, output: 'started\n' });
  const written = readFileSync(path.join(settings, 'agent.env'), 'utf8');
  expect(written).toBe(
    `VANTAGE_AGENT_DATA=/var/lib/vantage-agent\nVANTAGE_AGENT_RELEASE_KEY_FILE=${settings}/release.pub\n`,
  );
  expect(statSync(path.join(settings, 'release.pub')).mode & 0o777).toBe(0o644);
  const pinned = readReleaseKey(readFileSync(path.join(settings, 'release.pub'), 'utf8'));
  expect(pinned?.equals(publicKey)).toBe(true);
});
