import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invitationLines } from './invitation-lines.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-lines-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const { command, commandWget } = invitationLines({
  urls: ['https://a.example:8444', 'https://b.example:8444'],
  pin: 'PIN',
  token: 'T',
  parcels: [{ arch: 'amd64', sha256: 'ab' }],
  releaseKey: 'KEY',
});
const args =
  '--token T --endpoint https://a.example:8444,https://b.example:8444 --sha256 amd64=ab --release-key KEY';

/** Runs a line on a host whose curl and wget end with this status and write the answer. */
function run(line: string, host: { ends: number; status?: string; answer: string; user?: number }) {
  const bin = mkdtempSync(path.join(folder, 'bin-'));
  const program = (name: string, text: string) =>
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  writeFileSync(path.join(bin, 'answer'), host.answer);
  const download = (option: string) =>
    `while [ "$1" != ${option} ]; do shift; done; cat ${bin}/answer > "$2"; printf %s "${host.status ?? ''}"; exit ${host.ends}`;
  program('curl', download('-o'));
  program('wget', download('-O'));
  program('id', `echo ${host.user ?? 0}`);
  program('sudo', 'echo by sudo; exec "$@"');
  const env = { PATH: `${bin}:/usr/bin:/bin`, TMPDIR: bin };
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}
const script = 'echo "installs $*"; exit 7';

test.each([
  ['curl', command, '200'],
  ['wget', commandWget, ''],
])(
  'the line with %s runs the script with its arguments, and ends as the script does',
  (_how, line, status) => {
    const host = { ends: 0, status, answer: script };
    expect(run(line, host)).toEqual({ status: 7, stdout: `installs ${args}\n`, stderr: '' });
    expect(run(`${line} --yes`, { ...host, user: 1000 }).stdout).toBe(`by sudo\ninstalls ${args} --yes\n`);
  },
);

test.each([
  ['curl, a controller that is away', command, { ends: 7, status: '000', answer: '' }, 4],
  ['curl, a token that is refused', command, { ends: 0, status: '401', answer: 'used' }, 6],
  ['curl, a revoked agent', command, { ends: 0, status: '403', answer: 'revoked' }, 6],
  ['curl, a controller that is busy', command, { ends: 0, status: '503', answer: 'later' }, 4],
  ['wget, a controller that is away', commandWget, { ends: 4, answer: '' }, 4],
  ['wget, a token that is refused', commandWget, { ends: 6, answer: 'used' }, 6],
  ['wget, a controller that is busy', commandWget, { ends: 8, answer: 'later' }, 4],
])('the line with %s installs nothing and shows the answer', (_what, line, host, status) => {
  expect(run(line, host)).toEqual({ status, stdout: '', stderr: host.answer });
});
