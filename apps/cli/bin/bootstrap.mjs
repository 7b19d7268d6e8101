// `npm start`, `npm test` and ./vantage run this program first. It installs missing packages, finds the Node of this
// project and starts the command with it. It is plain JavaScript without dependencies, for any Node from 18 on.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from './install.mjs';
import { buildPage } from './page.mjs';

const leastNode = 24;
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const modules = path.join(root, 'node_modules');
const stamp = path.join(modules, '.vantage-installed');

const [command = 'help', ...rest] = process.argv.slice(2);
const say = (text) => process.stderr.write(`vantage: ${text}\n`);
const fail = (text) => {
  say(text);
  process.exit(1);
};

for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {}); // a reader may close our output early, and a disk may refuse a line: the child goes on

const above = lifelines();
if (!existsSync(path.join(modules, 'commander')) && isQuestion()) showHelp();
await install();
const node = await findNode();
if (command === 'up') buildPage({ root, node, say });
const script = command === 'test' ? 'tests/harness/run-all.ts' : 'apps/cli/src/main.ts';
const args = command === 'test' ? rest : [command, ...rest];
run(node, [path.join(root, script), ...args]);

/** Whether somebody only wants to know which commands or settings there are. */
function isQuestion() {
  return (
    ['help', '--help', '-h', 'settings'].includes(command) ||
    rest.some((one) => ['--help', '-h'].includes(one))
  );
}

/** Shows the help without the packages that make it: a test keeps both texts equal. Ends the program. */
function showHelp() {
  const isAboutSettings = command === 'settings' || (command === 'help' && rest[0] === 'settings');
  const file = isAboutSettings ? 'docs/settings.md' : 'apps/cli/bin/help.txt';
  process.stdout.write(readFileSync(path.join(root, file), 'utf8'));
  if (!isAboutSettings)
    process.stdout.write(
      '\nThe packages are not installed yet; the first command that is no question installs them.\n',
    );
  process.exit(0);
}

/**
 * Runs `npm ci` unless node_modules holds the packages of the lockfile. Only `npm start` and `npm test` replace present
 * packages.
 */
async function install() {
  const text = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  const lock = createHash('sha256').update(text).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  const { packages } = JSON.parse(text);
  if (holds(packages)) return mark(lock);
  const wanted = Object.entries(packages).filter(([, { dev }]) => !dev);
  // Packages of development may be missing (npm ci --omit=dev), except for the tests.
  if (command !== 'test' && holds(Object.fromEntries(wanted))) return;
  if (existsSync(modules) && !process.env.npm_lifecycle_event)
    return say('the packages are not those of package-lock.json; "npm ci" installs them');
  say(
    existsSync(modules)
      ? 'the packages are not those of package-lock.json: installing (npm ci)'
      : 'first start: installing packages (npm ci), this takes a minute or two',
  );
  const from = Date.now();
  const npm = process.env.npm_execpath;
  const problem = await installPackages({
    root,
    say,
    npm: npm && /\.c?js$/.test(npm) ? [process.execPath, npm] : ['npm'],
    watch: (child) => passOn(child, { insistMs: 2_000 }),
  });
  if (problem !== undefined) fail(problem);
  say(`packages are installed (${Math.round((Date.now() - from) / 1000)} s)`);
  mark(lock);
}

/**
 * Whether every one of these packages of the lockfile is there in its version; optional ones may be missing, except for
 * those of this platform.
 */
function holds(packages) {
  try {
    const there = JSON.parse(readFileSync(path.join(modules, '.package-lock.json'), 'utf8')).packages;
    return Object.entries(packages).every(
      ([place, one]) =>
        one.link ||
        !place.startsWith('node_modules/') ||
        (there[place] ? there[place].version === one.version : one.optional && !isForHere(one)),
    );
  } catch (error) {
    // Nothing was installed, or not completely. A file that cannot be read is no reason to replace the packages.
    if (error instanceof SyntaxError || ['ENOENT', 'ENOTDIR'].includes(error.code)) return false;
    return fail(`whether the packages are installed cannot be found out: ${error.message}`);
  }
}

/** Whether a package holds programs of this platform. Those of PostgreSQL and Node need glibc. */
function isForHere({ os = [], cpu = [], libc = ['glibc'] }) {
  return os.includes(process.platform) && cpu.includes(process.arch) && libc.includes('glibc');
}

/** Records which lockfile is installed. In a read-only folder each start compares the packages again. */
function mark(lock) {
  try {
    writeFileSync(stamp, lock);
  } catch {
    // the next start compares the packages again
  }
}

/** The Node that comes with the packages, else this one, else the one on PATH. */
async function findNode() {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = path.join(modules, name);
  const own = path.join(folder, 'bin', 'node');
  if (existsSync(own)) {
    const { problemOfFolder } = await import('@vantage/domain/binaries'); // is there only when packages are installed
    const problem = problemOfFolder({ name, folder, marker: path.join(modules, '.vantage-compared') });
    if (problem !== undefined) fail(problem);
  }
  const refused = [];
  for (const file of [own, process.execPath, 'node']) {
    if (path.isAbsolute(file) && !existsSync(file)) continue;
    const version = file === process.execPath ? process.version : versionOf(file);
    if (Number(/^v(\d+)\./.exec(version)?.[1]) >= leastNode) return file;
    refused.push(`${file} is ${version || 'not to be run'}`);
  }
  return fail(`Node ${leastNode} or later is needed: ${refused.join(', ')}. Install it and start again.`);
}

function versionOf(file) {
  const answer = spawnSync(file, ['--version'], { encoding: 'utf8' });
  return answer.status === 0 ? answer.stdout.trim() : '';
}

/** Runs the program and ends with its exit code. */
function run(file, argv) {
  const child = spawn(file, argv, {
    env: {
      // Programs that start again read their compiled code from here: they start sooner, and without the compiler they
      // need less memory.
      NODE_COMPILE_CACHE: path.join(modules, '.cache', 'compiled'),
      ...process.env,
      PATH: `${path.join(modules, '.bin')}${path.delimiter}${process.env.PATH ?? ''}`,
    },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  passOn(child);
  child.once('error', (error) => fail(`${file}: ${error.message}`));
  child.once('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

/**
 * Passes our signals to the child, and ends it when the process that holds our IPC channel is gone, or npm above us is.
 * With `insistMs` it kills a child that runs that long after the first of them. `asked` of the answer becomes true at
 * the first of them.
 */
function passOn(child, { insistMs } = {}) {
  const end = { asked: false };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  let insist;
  const pass = (signal) => {
    end.asked = true;
    child.kill(signal);
    if (insistMs !== undefined) insist ??= setTimeout(() => child.kill('SIGKILL'), insistMs);
  };
  // npm and its shell do not always pass a signal on before they end.
  const watch = setInterval(() => {
    if (!process.env.npm_lifecycle_event || lifelines() === above) return;
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
  return end;
}

/** Our parent and, when that is the shell in which npm runs a script, its parent too. When one of them ends, we end. */
function lifelines() {
  const { ppid } = process;
  try {
    if (readFileSync(`/proc/${ppid}/cmdline`, 'utf8').split('\0')[1] !== '-c') return `${ppid}`;
    const stat = readFileSync(`/proc/${ppid}/stat`, 'utf8');
    return `${ppid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}`;
  } catch {
    return `${ppid}`;
  }
}
