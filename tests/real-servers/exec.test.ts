// No text of a device's settings reaches a shell or a command line. strace records no start of a program except the
// probes' own process and those of Script.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { isReceived, methods } from '@vantage/domain';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-exec-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return 'strace and real pings need root';
  return spawnSync('strace', ['-V']).error ? 'strace is not installed' : undefined;
}

const tallies = z.record(z.string(), z.object({ urls: z.int(), options: z.int() }));

test("metacharacters and a leading '-' in every field start no program", async ({ skip }) => {
  const missing = whyNot();
  if (missing !== undefined) return skip(missing);
  const trace = path.join(folder, 'trace');
  const child = path.join(import.meta.dirname, 'every-probe.ts');
  const strace = ['-f', '-qq', '-s', '400', '-e', 'trace=execve,execveat', '-o', trace];
  const { stdout } = await promisify(execFile)('strace', [...strace, process.execPath, child]);
  const tally = tallies.parse(JSON.parse(stdout));
  expect(Object.keys(tally)).toEqual(methods.filter((method) => !isReceived(method)));
  // They accept only a host and numbers, and none of these texts is one.
  const withoutTexts = Object.entries(tally).filter(([, { urls, options }]) => urls + options === 0);
  expect(withoutTexts.map(([method]) => method)).toEqual(['NTP']);

  const started = readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line.includes('exec') && !line.includes(' resumed>'));
  const kinds = started.map((line) => kindOf(line, child));
  expect(new Set(kinds.filter((kind) => kind !== 'trial of setpriv'))).toEqual(
    new Set(['probes', 'spawner', 'guest']),
  );
  expect(kinds.filter((kind) => kind === 'probes' || kind === 'spawner')).toEqual(['probes', 'spawner']);
}, 180_000);

/** The known program that a line of strace starts, else the line itself. Where setpriv exists, it starts the guests. */
function kindOf(line: string, child: string): string {
  const node = JSON.stringify(process.execPath);
  const setpriv = /execve\("(\/usr)?\/bin\/setpriv", \["(\/usr)?\/bin\/setpriv", "--no-new-privs", /;
  const begin = line.replace(setpriv, `execve(${node}, [`);
  if (begin.includes(`execve(${node}, [${node}, ${JSON.stringify(child)}]`)) return 'probes';
  if (begin.includes(`execve(${node}, [${node}, "--version"]`)) return 'trial of setpriv';
  if (begin.includes(`execve(${node}, `) && begin.includes('/methods/script/spawner.ts"')) return 'spawner';
  if (begin.includes(`execve(${node}, [${node}, "--permission"`)) return 'guest';
  return line;
}
