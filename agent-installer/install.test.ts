import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runScript, scriptFolder, shellScripts } from './src/testing/run-script.ts';

const install = path.join(scriptFolder, 'install.sh');
const workFolder = mkdtempSync(path.join(tmpdir(), 'vantage-scripts-'));
afterAll(() => rmSync(workFolder, { recursive: true }));

test('shellcheck finds nothing in the scripts', ({ skip }) => {
  const { status, output, isMissing } = runScript('shellcheck', '--shell=sh', ...shellScripts);
  skip(isMissing, 'shellcheck is missing');
  expect(output).toBe('');
  expect(status).toBe(0);
});

describe.each(['dash', 'busybox'])('%s', (shell) => {
  const sh = shell === 'busybox' ? ['busybox', 'sh'] : [shell];
  const [program = '', ...head] = sh;
  test('reads every script', ({ skip }) => {
    for (const script of shellScripts) {
      const { status, output, isMissing } = runScript(program, ...head, '-n', script);
      skip(isMissing, `${shell} is missing`);
      expect(output, script).toBe('');
      expect(status, script).toBe(0);
    }
  });

  const good = [
    '--token',
    'abc',
    '--endpoint',
    'https://c.example:8444',
    '--sha256',
    `amd64=${'0'.repeat(64)},arm64=${'0'.repeat(64)}`,
  ];
  const instead = (name: string, value: string) =>
    good.map((argument, i) => (good[i - 1] === name ? value : argument));
  test.for<[string, string[], number, string]>([
    ['no token', ['--endpoint', 'https://c.example:8444'], 2, '--token is missing'],
    ['a token with a space', instead('--token', 'a b'), 2, 'other characters'],
    ['no endpoint', ['--token', 'abc'], 2, '--endpoint is missing'],
    [
      'an endpoint without TLS',
      instead('--endpoint', 'http://c.example:8444'),
      2,
      'must begin with https://',
    ],
    ['an endpoint with a command', instead('--endpoint', 'https://c$(id):1'), 2, 'accepted is https://'],
    ['an unknown argument', [...good, '--colour'], 2, 'there is no argument --colour'],
    ['an argument without its value', ['--token'], 2, 'needs a value'],
    ['a proxy of another kind', [...good, '--proxy', 'socks5://p'], 2, 'must begin with http://'],
    ['no CA certificate', [...good, '--dry-run'], 2, '--ca FILE'],
    ['no parcel at the controller', instead('--sha256', ''), 4, 'npm run parcel'],
    ['the question for help', ['--help'], 0, 'usage: install.sh'],
  ])('with %s the installer reports it', ([, args, code, text], { skip }) => {
    skip(code === 4 && process.getuid?.() !== 0, 'only root reaches this step');
    const result = runScript(program, ...head, install, ...args);
    skip(result.isMissing, `${shell} is missing`);
    expect(result.output).toContain(text);
    expect(result.status, result.output).toBe(code);
  });

  test('a dry run shows every step and creates nothing', ({ skip }) => {
    const ca = path.join(workFolder, 'ca.pem');
    writeFileSync(ca, '-----BEGIN CERTIFICATE-----\n');
    const result = runScript(program, ...head, install, ...good, '--ca', ca, '--dry-run');
    skip(result.isMissing, `${shell} is missing`);
    expect(result.status, result.output).toBe(0);
    for (const step of [
      'would download https://c.example:8444/parcel/linux-',
      'useradd',
      '/etc/vantage-agent/agent.env',
      'start',
    ])
      expect(result.output).toContain(step);
  });
});

test('the unpacked parcel is the one whose SHA-256 was compared, even if the file changes meanwhile', ({
  skip,
}) => {
  skip(process.getuid?.() !== 0, 'only root reaches this step');
  const swapped = path.join(workFolder, 'swapped');
  const parcelOf = (version: string) => {
    const tree = path.join(swapped, version);
    mkdirSync(path.join(tree, 'bin'), { recursive: true });
    writeFileSync(path.join(tree, 'bin/node'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(path.join(tree, 'VERSION'), version);
    const file = path.join(swapped, `${version}.tar.gz`);
    expect(runScript('tar', '-czf', file, '-C', tree, '.').status).toBe(0);
    return file;
  };
  const [good, bad] = [parcelOf('good'), parcelOf('bad')];
  const { output } = runScript('sha256sum', good);
  const sum = output.slice(0, 64);
  // Another user changes the file as soon as its SHA-256 is known.
  const fake = `#!/bin/sh\n/usr/bin/sha256sum\ncat '${bad}' >'${good}'\n`;
  mkdirSync(path.join(swapped, 'bin'));
  writeFileSync(path.join(swapped, 'bin/sha256sum'), fake, { mode: 0o755 });
  const script = path.join(swapped, 'install.sh');
  const text = readFileSync(install, 'utf8')
    .replace('program=/opt/vantage-agent', `program=${swapped}/program`)
    .replace('settings=/etc/vantage-agent', `settings=${swapped}/settings`)
    .replace('  install_program\n', '  install_program\n  exit 0\n');
  writeFileSync(script, text);
  const ca = path.join(swapped, 'ca.pem');
  writeFileSync(ca, '-----BEGIN CERTIFICATE-----\n');
  const args = ['--token', 'abc', '--endpoint', 'https://c.example:8444', '--ca', ca, '--parcel', good];
  const { status, stderr } = spawnSync('sh', [script, ...args, '--sha256', `amd64=${sum},arm64=${sum}`], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${swapped}/bin:/usr/local/bin:/usr/bin:/bin` },
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(readFileSync(bad).equals(readFileSync(good))).toBe(true);
  expect(readFileSync(path.join(swapped, 'program/VERSION'), 'utf8')).toBe('good');
});

test('the script has a single placeholder for the CA certificate, and runs nothing before its last line', () => {
  const text = readFileSync(install, 'utf8');
  expect(text.split('@VANTAGE_CA@')).toHaveLength(2);
  expect(text.trimEnd().split('\n').at(-1)).toBe('main "$@"');
});
