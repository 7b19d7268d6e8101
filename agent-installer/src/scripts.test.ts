import { spawnSync } from 'node:child_process';
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
import { afterAll, describe, expect, test } from 'vitest';
import { root } from './root.ts';

const folder = path.join(root, 'agent-installer');
const debian = ['debian/postinst', 'debian/prerm', 'debian/postrm'];
const scripts = [
  'install.sh',
  'vantage-agent',
  'controller/vantage',
  ...debian,
  ...debian.map((name) => `controller/${name}`),
];
const install = path.join(folder, 'install.sh');
const own = mkdtempSync(path.join(tmpdir(), 'vantage-scripts-'));
afterAll(() => rmSync(own, { recursive: true }));

const run = (program: string, ...args: string[]) => {
  // The PATH of ordinary users of Debian, and of root after `su`.
  const env = { ...process.env, PATH: '/usr/local/bin:/usr/bin:/bin' };
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', cwd: folder, env });
  return { status, output: `${stdout}${stderr}`, isMissing: error !== undefined };
};

test.each([
  'agent-installer/vantage-agent.service',
  'agent-installer/controller/vantage.service',
  'agent-installer/controller/vantage-backup.service',
])('%s limits the memory of the unit, so that a fault takes none from the rest of the host', (unit) => {
  expect(readFileSync(path.join(root, unit), 'utf8')).toMatch(/^MemoryMax=\d+(M|G|%)$/m);
});

test('shellcheck finds nothing in the scripts', ({ skip }) => {
  const { status, output, isMissing } = run('shellcheck', '--shell=sh', ...scripts);
  skip(isMissing, 'shellcheck is missing');
  expect(output).toBe('');
  expect(status).toBe(0);
});

test.each([
  ['the version that is confirmed', '0'],
  ['a version on trial', '5'],
])('Node runs %s with a small heap', (_, seconds) => {
  const home = path.join(own, `home${seconds}`);
  mkdirSync(path.join(home, 'bin'), { recursive: true });
  const node = `#!/bin/sh
case $1 in
*/select.mjs) printf '${seconds}\\n${home}\\n${home}/trial\\n' ;;
*) echo "$MALLOC_ARENA_MAX $*" ;;
esac
`;
  writeFileSync(path.join(home, 'bin/node'), node, { mode: 0o755 });
  copyFileSync(path.join(folder, 'vantage-agent'), path.join(home, 'bin/vantage-agent'));
  const { output } = run(path.join(home, 'bin/vantage-agent'), 'run');
  const flags = '--max-semi-space-size=4 --max-old-space-size=512 --no-parallel-scavenge';
  expect(output).toBe(`2 ${flags} ${home}/lib/agent.mjs ${home}\n`);
  const container = JSON.stringify(['/opt/vantage-agent/bin/node', ...flags.split(' ')]).slice(1, -1);
  const image = readFileSync(path.join(folder, 'Dockerfile'), 'utf8').replaceAll('", "', '","');
  expect(image).toContain(container);
  expect(image).toContain('MALLOC_ARENA_MAX=2');
});

describe.each(['dash', 'busybox'])('%s', (shell) => {
  const sh = shell === 'busybox' ? ['busybox', 'sh'] : [shell];
  const [program = '', ...head] = sh;
  test('reads every script', ({ skip }) => {
    for (const script of scripts) {
      const { status, output, isMissing } = run(program, ...head, '-n', script);
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
    good.map((each, i) => (good[i - 1] === name ? value : each));
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
  ])('with %s the installer says so', ([, args, code, text], { skip }) => {
    skip(code === 4 && process.getuid?.() !== 0, 'only root gets so far');
    const result = run(program, ...head, install, ...args);
    skip(result.isMissing, `${shell} is missing`);
    expect(result.output).toContain(text);
    expect(result.status, result.output).toBe(code);
  });

  test('a dry run names every step and makes nothing', ({ skip }) => {
    const ca = path.join(own, 'ca.pem');
    writeFileSync(ca, '-----BEGIN CERTIFICATE-----\n');
    const result = run(program, ...head, install, ...good, '--ca', ca, '--dry-run');
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

test('the parcel that is unpacked is the one whose SHA-256 was compared, whoever changes the file meanwhile', ({
  skip,
}) => {
  skip(process.getuid?.() !== 0, 'only root gets so far');
  const at = path.join(own, 'swapped');
  const parcelOf = (version: string) => {
    const tree = path.join(at, version);
    mkdirSync(path.join(tree, 'bin'), { recursive: true });
    writeFileSync(path.join(tree, 'bin/node'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(path.join(tree, 'VERSION'), version);
    const file = path.join(at, `${version}.tar.gz`);
    expect(run('tar', '-czf', file, '-C', tree, '.').status).toBe(0);
    return file;
  };
  const [good, bad] = [parcelOf('good'), parcelOf('bad')];
  const { output } = run('sha256sum', good);
  const sum = output.slice(0, 64);
  // Somebody else changes the file as soon as its SHA-256 is known.
  const fake = `#!/bin/sh\n/usr/bin/sha256sum\ncat '${bad}' >'${good}'\n`;
  mkdirSync(path.join(at, 'bin'));
  writeFileSync(path.join(at, 'bin/sha256sum'), fake, { mode: 0o755 });
  const script = path.join(at, 'install.sh');
  const text = readFileSync(install, 'utf8')
    .replace('program=/opt/vantage-agent', `program=${at}/program`)
    .replace('settings=/etc/vantage-agent', `settings=${at}/settings`)
    .replace('  install_program\n', '  install_program\n  exit 0\n');
  writeFileSync(script, text);
  const ca = path.join(at, 'ca.pem');
  writeFileSync(ca, '-----BEGIN CERTIFICATE-----\n');
  const given = ['--token', 'abc', '--endpoint', 'https://c.example:8444', '--ca', ca, '--parcel', good];
  const { status, stderr } = spawnSync('sh', [script, ...given, '--sha256', `amd64=${sum},arm64=${sum}`], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${at}/bin:/usr/local/bin:/usr/bin:/bin` },
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(readFileSync(bad).equals(readFileSync(good))).toBe(true);
  expect(readFileSync(path.join(at, 'program/VERSION'), 'utf8')).toBe('good');
});

test('a log of more than 16 MiB is put aside without its begin, and emptied where its writers have it open', () => {
  const log = path.join(own, 'vantage-agent.log');
  const command = path.join(own, 'vantage-agent');
  const text = readFileSync(path.join(folder, 'vantage-agent'), 'utf8');
  writeFileSync(command, text.replace('log=/var/log/vantage-agent.log', `log=${log}`));
  const limit = 16 * 1024 * 1024;
  const short = 'x'.repeat(limit);
  writeFileSync(log, short);
  const writer = openSync(log, 'a');
  expect(run('sh', command, 'limit_log')).toMatchObject({ status: 0, output: '' });
  expect(statSync(log).size).toBe(limit);
  writeSync(writer, 'the end\n');
  expect(run('sh', command, 'limit_log')).toMatchObject({ status: 0, output: '' });
  writeSync(writer, 'the begin\n');
  closeSync(writer);
  expect(readFileSync(log, 'utf8')).toBe('the begin\n');
  expect(readFileSync(`${log}.1`, 'utf8') === `${short.slice(8)}the end\n`).toBe(true);
});

test('the script has one place for the CA certificate, and runs nothing before its last line', () => {
  const text = readFileSync(install, 'utf8');
  expect(text.split('@VANTAGE_CA@')).toHaveLength(2);
  expect(text.trimEnd().split('\n').at(-1)).toBe('main "$@"');
});

describe.each([
  ['vantage-agent.service', '/opt/vantage-agent/bin/vantage-agent', 'vantage-agent'],
  ['controller/vantage.service', '/opt/vantage/bin/vantage', 'controller/vantage'],
])('%s', (file, installed, program) => {
  test('has an exposure of at most 2.0', ({ skip }) => {
    const unit = path.join(folder, file);
    const args = ['security', '--offline=yes', '--threshold=20', unit];
    const { status, output, isMissing } = run('systemd-analyze', ...args);
    skip(isMissing, 'systemd-analyze is missing');
    expect(status, output).toBe(0);
  });

  test('has no line that systemd does not accept', ({ skip }) => {
    // The program is not installed here, and systemd refuses a unit without its program.
    const unit = readFileSync(path.join(folder, file), 'utf8');
    expect(unit).toMatch(new RegExp(`^ExecStart=${installed} \\w+$`, 'm'));
    const copy = path.join(own, path.basename(file));
    writeFileSync(copy, unit.replace(installed, path.join(folder, program)));
    const { status, output, isMissing } = run('systemd-analyze', '--man=no', 'verify', copy);
    skip(isMissing, 'systemd-analyze is missing');
    expect([status, output]).toEqual([0, '']);
  });
});

describe('the units of the nightly backup', () => {
  const read = (name: string) => readFileSync(path.join(folder, 'controller', name), 'utf8');
  /** Runs a command of the unit in a shell, with these settings, as systemd does after it read `%%`. */
  const runLine = (key: string, settings: string) => {
    const [, command = ''] =
      new RegExp(`^${key}=/bin/sh -c '(.*)'$`, 'm').exec(read('vantage-backup.service')) ?? [];
    const printed = command.replaceAll('%%', '%').replace('exec /opt/vantage/bin/vantage', 'echo');
    return run('sh', '-c', `${settings}\n${printed}`);
  };

  test('have no line that systemd does not accept', ({ skip }) => {
    const copies = ['vantage-backup.service', 'vantage-backup.timer'].map((name) => {
      const copy = path.join(own, name);
      writeFileSync(copy, read(name));
      return copy;
    });
    const { status, output, isMissing } = run('systemd-analyze', '--man=no', 'verify', ...copies);
    skip(isMissing, 'systemd-analyze is missing');
    expect([status, output]).toEqual([0, '']);
  });

  test('do nothing with the settings of the package, and make a verified backup in the folder that they name', () => {
    const given = read('backup.env');
    expect(runLine('ExecCondition', given).status).toBe(1);
    const chosen = given
      .replace('FOLDER=', 'FOLDER=/srv/own')
      .replace('OPTIONS=', 'OPTIONS="--recipient age1"');
    expect(runLine('ExecCondition', chosen).status).toBe(0);
    const { output } = runLine('ExecStart', chosen);
    expect(output).toMatch(/^backup \/srv\/own\/[^/ ]+\.backup --verify --recipient age1\n$/);
  });

  test('run the command where the package has it', () => {
    const programs = [...read('vantage-backup.service').matchAll(/\/opt\/vantage\/\S*/g)].map(
      ([file]) => file,
    );
    expect(programs).toEqual(['/opt/vantage/bin/vantage']);
    expect(readFileSync(path.join(folder, 'src/controller/tree.ts'), 'utf8')).toContain(
      "name: 'bin/vantage'",
    );
  });
});

test('a host of version 0.2.0 gets its release key by the lines of docs/operate.md', () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const line = releaseKeyLine(publicKey);
  const page = readFileSync(path.join(root, 'docs/operate.md'), 'utf8');
  const [, steps = ''] = /```sh\n(echo 'LINE'[\s\S]*?)```/.exec(page) ?? [];
  const settings = path.join(own, 'agent-of-0.2.0');
  mkdirSync(settings);
  writeFileSync(path.join(settings, 'agent.env'), 'VANTAGE_AGENT_DATA=/var/lib/vantage-agent\n');
  const here = steps
    .replaceAll('LINE', line)
    .replaceAll('/etc/vantage-agent', settings)
    .replace('vantage-agent start', 'echo started');
  expect(run('sh', '-ec', here)).toMatchObject({ status: 0, output: 'started\n' });
  const written = readFileSync(path.join(settings, 'agent.env'), 'utf8');
  expect(written).toBe(
    `VANTAGE_AGENT_DATA=/var/lib/vantage-agent\nVANTAGE_AGENT_RELEASE_KEY_FILE=${settings}/release.pub\n`,
  );
  expect(statSync(path.join(settings, 'release.pub')).mode & 0o777).toBe(0o644);
  const pinned = readReleaseKey(readFileSync(path.join(settings, 'release.pub'), 'utf8'));
  expect(pinned?.equals(publicKey)).toBe(true);
});
