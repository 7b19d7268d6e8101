// `npm start`, `npm test` and ./vantage run this program first. It installs missing packages, finds the Node of this
// project and starts the command with it. It is plain JavaScript without dependencies, for any Node from 18 on.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from './install.mjs';
import { buildPage } from './page.mjs';

const minNode = 24;
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const modules = path.join(root, 'node_modules');
const stamp = path.join(modules, '.vantage-installed');

const [command = 'help', ...rest] = process.argv.slice(2);
const say = (text) => process.stderr.write(`vantage: ${text}\n`);
const fail = (text) => {
  say(text);
  process.exit(1);
};

for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {}); // a lost output must not end the child

const ancestors = ancestorIds();
if (!existsSync(path.join(modules, 'commander')) && isHelpRequest()) showHelp();
await install();
const node = await findNode();
if (command === 'up') buildPage({ root, node, say });
const script = command === 'test' ? 'tests/harness/run-all.ts' : 'apps/cli/src/main.ts';
const args = command === 'test' ? rest : [command, ...rest];
run(node, [path.join(root, script), ...args]);

/** Whether the command only shows commands or settings. */
function isHelpRequest() {
  return (
    ['help', '--help', '-h', 'settings'].includes(command) ||
    rest.some((argument) => ['--help', '-h'].includes(argument))
  );
}

/** Shows the help before packages are installed, and exits. A test keeps this text equal to the real help. */
function showHelp() {
  const isAboutSettings = command === 'settings' || (command === 'help' && rest[0] === 'settings');
  const file = isAboutSettings ? 'docs/settings.md' : 'apps/cli/bin/help.txt';
  process.stdout.write(readFileSync(path.join(root, file), 'utf8'));
  if (!isAboutSettings)
    process.stdout.write(
      '\nThe packages are not installed yet; the first command other than help installs them.\n',
    );
  process.exit(0);
}

/**
 * Runs `npm ci` unless the packages of the lockfile are installed. Only `npm start` and `npm test` replace packages.
 */
async function install() {
  const text = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  const lock = createHash('sha256').update(text).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  const { packages } = JSON.parse(text);
  if (areInstalled(packages)) return recordInstalled(lock);
  const required = Object.entries(packages).filter(([, { dev }]) => !dev);
  // Development packages may be missing (npm ci --omit=dev), except for the tests.
  if (command !== 'test' && areInstalled(Object.fromEntries(required))) return;
  if (existsSync(modules) && !process.env.npm_lifecycle_event)
    return say('the packages do not match package-lock.json; "npm ci" installs them');
  say(
    existsSync(modules)
      ? 'the packages do not match package-lock.json: installing (npm ci)'
      : 'first start: installing packages (npm ci), this takes a minute or two',
  );
  const from = Date.now();
  const npm = process.env.npm_execpath;
  const problem = await installPackages({
    root,
    say,
    npm: npm && /\.c?js$/.test(npm) ? [process.execPath, npm] : ['npm'],
    watch: (child) => forwardSignals(child, { insistMs: 2_000 }),
  });
  if (problem !== undefined) fail(problem);
  say(`packages are installed (${Math.round((Date.now() - from) / 1000)} s)`);
  recordInstalled(lock);
}

/** Whether these packages of the lockfile are installed. Optional packages of other platforms may be missing. */
function areInstalled(packages) {
  try {
    const installed = JSON.parse(readFileSync(path.join(modules, '.package-lock.json'), 'utf8')).packages;
    return Object.entries(packages).every(
      ([folder, entry]) =>
        entry.link ||
        !folder.startsWith('node_modules/') ||
        (installed[folder]
          ? installed[folder].version === entry.version
          : entry.optional && !isForThisPlatform(entry)),
    );
  } catch (error) {
    // Without a complete list, nothing was installed completely. A file that cannot be read must not replace packages.
    if (error instanceof SyntaxError || ['ENOENT', 'ENOTDIR'].includes(error.code)) return false;
    return fail(`cannot determine whether the packages are installed: ${error.message}`);
  }
}

/** Whether a package has programs for this platform. PostgreSQL and Node need glibc. */
function isForThisPlatform({ os = [], cpu = [], libc = ['glibc'] }) {
  return os.includes(process.platform) && cpu.includes(process.arch) && libc.includes('glibc');
}

/** Records the installed lockfile. In a read-only folder each start compares the packages again. */
function recordInstalled(lock) {
  try {
    writeFileSync(stamp, lock);
  } catch {
    // the next start compares the packages again
  }
}

/** The Node in the packages, else the running Node, else Node on PATH. */
async function findNode() {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = path.join(modules, name);
  const packagedNode = path.join(folder, 'bin', 'node');
  if (existsSync(packagedNode)) {
    const { problemOfFolder } = await import('@vantage/domain/binaries'); // exists only when packages are installed
    const problem = problemOfFolder({ name, folder, marker: path.join(modules, '.vantage-compared') });
    if (problem !== undefined) fail(problem);
  }
  const rejected = [];
  for (const file of [packagedNode, process.execPath, 'node']) {
    if (path.isAbsolute(file) && !existsSync(file)) continue;
    const version = file === process.execPath ? process.version : versionOf(file);
    if (Number(/^v(\d+)\./.exec(version)?.[1]) >= minNode) return file;
    rejected.push(`${file} ${version ? `is ${version}` : 'cannot be run'}`);
  }
  return fail(`Node ${minNode} or later is needed: ${rejected.join(', ')}. Install it and start again.`);
}

function versionOf(file) {
  const answer = spawnSync(file, ['--version'], { encoding: 'utf8' });
  return answer.status === 0 ? answer.stdout.trim() : '';
}

/** Runs the program and exits with its exit code. */
function run(file, argv) {
  const child = spawn(file, argv, {
    env: {
      // Restarted programs read their compiled code from here. They start faster and need less memory.
      NODE_COMPILE_CACHE: path.join(modules, '.cache', 'compiled'),
      ...process.env,
      PATH: `${path.join(modules, '.bin')}${path.delimiter}${process.env.PATH ?? ''}`,
    },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  forwardSignals(child);
  child.once('error', (error) => fail(`${file}: ${error.message}`));
  child.once('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

/**
 * Forwards our signals to the child, and ends it when our parent with the IPC channel, or npm above us, has ended. With
 * `insistMs` a child that still runs after that time is killed. `isEnding` of the result becomes true at the first
 * signal.
 */
function forwardSignals(child, { insistMs } = {}) {
  const state = { isEnding: false };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  let insist;
  const pass = (signal) => {
    state.isEnding = true;
    child.kill(signal);
    if (insistMs !== undefined) insist ??= setTimeout(() => child.kill('SIGKILL'), insistMs);
  };
  // npm and its shell do not always forward a signal before they end.
  const watch = setInterval(() => {
    if (!process.env.npm_lifecycle_event || ancestorIds() === ancestors) return;
    clearInterval(watch);
    pass('SIGTERM');
  }, 100).unref();
  const orphaned = () => pass('SIGTERM');
  for (const signal of signals) process.on(signal, pass);
  process.on('disconnect', orphaned);
  child.once('exit', () => {
    clearInterval(watch);
    clearTimeout(insist);
    for (const signal of signals) process.off(signal, pass);
    process.off('disconnect', orphaned);
  });
  return state;
}

/** Our parent and, where it is npm's shell, its parent. When one of them ends, we end. */
function ancestorIds() {
  const { ppid } = process;
  try {
    if (readFileSync(`/proc/${ppid}/cmdline`, 'utf8').split('\0')[1] !== '-c') return `${ppid}`;
    const stat = readFileSync(`/proc/${ppid}/stat`, 'utf8');
    return `${ppid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}`;
  } catch {
    return `${ppid}`;
  }
}
