import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'vantage-install-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const install = path.join(import.meta.dirname, 'install.mjs');

/** Installs with a program in place of npm; returns the printed lines and the problem (null: none). */
async function run(npm: string, limits: { maxQuietMs: number; reportMs: number }) {
  const file = path.join(root, 'npm.mjs');
  writeFileSync(file, npm);
  const driver = `
    import { installPackages } from ${JSON.stringify(install)};
    const say = (text) => console.error(text);
    const problem = await installPackages({ root: '.', npm: [process.execPath, ${JSON.stringify(file)}], say,
      watch: () => ({ isEnding: false }), limits: ${JSON.stringify(limits)} });
    console.log(JSON.stringify(problem ?? null));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', driver], { cwd: root });
  return { ...(await outputOf(child)) };
}

async function outputOf(child: ChildProcess) {
  const printed = { out: '', err: '' };
  child.stdout?.on('data', (chunk) => {
    printed.out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    printed.err += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return printed;
}

const fetched = 'npm http fetch GET 200 https://registry.example/left-pad 12ms (cache miss)';

test('the installer names a silent registry while it waits, and gives up with a remedy', async () => {
  const { out, err } = await run('setInterval(() => {}, 1000);', { maxQuietMs: 300, reportMs: 100 });
  expect(err).toContain('npm waits for the registry, which has sent nothing yet');
  expect(JSON.parse(out)).toMatch(/given up after .* sent nothing yet.*"npm ping"/);
});

test('the installer reports the fetched files and the silence after them', async () => {
  const npm = `console.error(${JSON.stringify(fetched)}); setInterval(() => {}, 1000);`;
  const { out, err } = await run(npm, { maxQuietMs: 3_000, reportMs: 500 });
  expect(err).toContain('1 files downloaded, the last is https://registry.example/left-pad');
  expect(JSON.parse(out)).toContain('given up');
});

test('a good installation prints nothing, and a failed one prints the output of npm', async () => {
  const limits = { maxQuietMs: 60_000, reportMs: 60_000 };
  expect(await run(`console.error(${JSON.stringify(fetched)});`, limits)).toEqual({ out: 'null\n', err: '' });
  const { out } = await run("console.error('npm error code E404'); process.exitCode = 1;", limits);
  expect(JSON.parse(out)).toMatch(/^installing packages failed \(1\).*\nnpm error code E404$/s);
});

/** Runs `npm start` in a clone with this lockfile, where npm fails with 7; resolves with what it said. */
async function start(packages: object): Promise<string> {
  const bin = path.join(root, 'apps/cli/bin');
  mkdirSync(bin, { recursive: true });
  for (const name of readdirSync(path.dirname(install)))
    copyFileSync(path.join(path.dirname(install), name), path.join(bin, name));
  writeFileSync(path.join(root, 'package-lock.json'), JSON.stringify({ packages }));
  const npm = path.join(root, 'npm.js');
  writeFileSync(npm, "console.error('npm error no such registry'); process.exitCode = 7;");
  const env = { PATH: process.env['PATH'], npm_execpath: npm, npm_lifecycle_event: 'start' };
  const { err } = await outputOf(spawn(process.execPath, [path.join(bin, 'bootstrap.mjs'), 'up'], { env }));
  return err;
}

test('the first start installs the packages of the lockfile before anything else', async () => {
  const said = await start({ 'node_modules/x': { version: '1.0.0' } });
  expect(said).toContain('first start: installing packages (npm ci)');
  expect(said).toContain('installing packages failed (7)');
  expect(said).toContain('npm error no such registry');
});

test('a start installs again where npm left out an optional package of this platform', async () => {
  const here = { version: '1.0.0', optional: true, os: [process.platform], cpu: [process.arch] };
  const modules = path.join(root, 'node_modules');
  mkdirSync(modules, { recursive: true });
  writeFileSync(path.join(modules, '.package-lock.json'), '{"packages": {}}');
  expect(await start({ 'node_modules/x': here })).toContain(
    'the packages do not match package-lock.json: installing',
  );
  for (const other of [{ os: ['aix'] }, { cpu: ['mips'] }, { libc: ['musl'] }, { os: undefined }])
    expect(await start({ 'node_modules/x': { ...here, ...other } })).not.toContain('installing');
});
