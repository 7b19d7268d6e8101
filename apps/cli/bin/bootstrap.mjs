// What `npm start`, `npm test` and ./vantage run first. Plain JavaScript without dependencies, for any Node from 18 on:
// installs what is missing, finds the Node this project runs on and hands over to it.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const wanted = 24;
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const modules = path.join(root, 'node_modules');
const stamp = path.join(modules, '.vantage-installed');

const [command = 'help', ...rest] = process.argv.slice(2);
const say = (text) => process.stderr.write(`vantage: ${text}\n`);
const fail = (text) => {
  say(text);
  process.exit(1);
};

await install();
const node = findNode();
const script = command === 'test' ? 'tests/harness/run-all.ts' : 'apps/cli/src/main.ts';
const args = command === 'test' ? rest : [command, ...rest];
run(node, [path.join(root, script), ...args]);

/** Runs `npm ci` unless node_modules holds what the lockfile says. Only `npm start` and `npm test` replace what is there. */
async function install() {
  const text = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  const lock = createHash('sha256').update(text).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  if (holds(JSON.parse(text))) return mark(lock);
  if (existsSync(modules) && !process.env.npm_lifecycle_event)
    return say('the packages are not those of package-lock.json; "npm ci" installs them');
  say(
    existsSync(modules)
      ? 'the packages are not those of package-lock.json: installing (npm ci)'
      : 'first start: installing packages (npm ci), this takes a minute or two',
  );
  const from = Date.now();
  const ticker = setInterval(
    () => say(`still installing packages, ${Math.round((Date.now() - from) / 1000)} s`),
    10_000,
  );
  const npm = process.env.npm_execpath;
  const options = ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const [file, argv] = npm && /\.c?js$/.test(npm) ? [process.execPath, [npm, ...options]] : ['npm', options];
  const code = await new Promise((resolve) => {
    const child = spawn(file, argv, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', () => resolve('npm was not found'));
    child.once('exit', (status, signal) => resolve(status ?? signal));
  });
  clearInterval(ticker);
  if (code !== 0) fail(`installing packages failed (${code}); "npm ci" in ${root} shows why`);
  say(`packages are installed (${Math.round((Date.now() - from) / 1000)} s)`);
  mark(lock);
}

/** Whether every package of the lockfile is there in its version; those for other platforms may be missing. */
function holds(lock) {
  try {
    const there = JSON.parse(readFileSync(path.join(modules, '.package-lock.json'), 'utf8')).packages;
    return Object.entries(lock.packages).every(
      ([place, { version, optional, link }]) =>
        link ||
        !place.startsWith('node_modules/') ||
        (there[place] ? there[place].version === version : optional),
    );
  } catch {
    return false; // nothing was installed, or not to its end
  }
}

/** Remembers what is installed; a read-only folder only costs the next look. */
function mark(lock) {
  try {
    writeFileSync(stamp, lock);
  } catch {
    // the next start compares the dates again
  }
}

/** The Node that comes with the packages, else this one, else the one on PATH. */
function findNode() {
  const own = path.join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  const seen = [];
  for (const file of [own, process.execPath, 'node']) {
    if (path.isAbsolute(file) && !existsSync(file)) continue;
    const version = file === process.execPath ? process.version : versionOf(file);
    if (Number(/^v(\d+)\./.exec(version)?.[1]) >= wanted) return file;
    seen.push(`${file} is ${version || 'not to be run'}`);
  }
  return fail(`Node ${wanted} or later is needed: ${seen.join(', ')}. Install it and start again.`);
}

function versionOf(file) {
  const answer = spawnSync(file, ['--version'], { encoding: 'utf8' });
  return answer.status === 0 ? answer.stdout.trim() : '';
}

/** Hands over: the child gets our signals, and ends when we are gone, or who holds our IPC channel, or npm above us is. */
function run(file, argv) {
  const child = spawn(file, argv, {
    env: { ...process.env, PATH: `${path.join(modules, '.bin')}${path.delimiter}${process.env.PATH ?? ''}` },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('disconnect', () => child.kill('SIGTERM'));
  const above = ancestors();
  // npm and its shell do not always pass a signal on before they end.
  if (process.env.npm_lifecycle_event)
    setInterval(() => ancestors() !== above && child.kill('SIGTERM'), 100).unref();
  child.once('error', (error) => fail(`${file}: ${error.message}`));
  child.once('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

/** Our parent and its parent: the shell that npm runs a script in, and npm. */
function ancestors() {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    return `${process.ppid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}`;
  } catch {
    return `${process.ppid}`;
  }
}
