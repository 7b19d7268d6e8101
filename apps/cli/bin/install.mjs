// Runs `npm ci` for the first start. Plain JavaScript without dependencies, for any Node from 18 on.
import { spawn } from 'node:child_process';

/** The installation fails when npm prints nothing for this time. */
const maxQuietMs = 300_000;
const reportMs = 10_000;
/** By default npm waits three times five minutes for each answer of the registry, without a message. */
const options = [
  'ci',
  '--no-audit',
  '--no-fund',
  '--ignore-scripts',
  '--loglevel=http',
  '--fetch-timeout=60000',
  '--fetch-retries=3',
];

/**
 * Runs `npm ci` in `root` and reports progress with `say`. `npm` is npm's file with its arguments. `watch(child)`
 * forwards signals; `isEnding` of its result becomes true at the first signal. Resolves with undefined when all
 * packages are installed, else with the problem.
 */
export function installPackages({ root, npm, say, watch, limits = { maxQuietMs, reportMs } }) {
  const [file, ...argv] = npm;
  const from = Date.now();
  const seconds = (sinceMs) => Math.round((Date.now() - sinceMs) / 1000);
  const state = { fetched: 0, last: '', atMs: from, output: '', gaveUp: false };
  return new Promise((resolve) => {
    const child = spawn(file, [...argv, ...options], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
    const stop = watch(child);
    const ticker = setInterval(() => {
      say(`still installing packages, ${seconds(from)} s: ${waitingFor(state, seconds)}`);
      if (Date.now() - state.atMs < limits.maxQuietMs) return;
      state.gaveUp = true;
      child.kill('SIGKILL');
    }, limits.reportMs);
    let rest = '';
    child.stderr.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop().slice(-2_000);
      for (const line of lines) note(state, line);
    });
    const end = (how) => {
      clearInterval(ticker);
      if (how === undefined) return resolve(undefined);
      if (stop.isEnding)
        return resolve('the installation of packages was interrupted; the next start continues it');
      if (state.gaveUp)
        return resolve(
          `installing packages was given up after ${seconds(from)} s: ${waitingFor(state, seconds)}. Is the registry to be reached ("npm ping"; behind a proxy: "npm config set https-proxy …")? The next start tries again`,
        );
      return resolve(
        `installing packages failed (${how}); "npm ci" in ${root} shows why\n${state.output}`.trim(),
      );
    };
    child.once('error', () => end('npm was not found'));
    child.once('exit', (code, signal) => setImmediate(() => end(code === 0 ? undefined : (code ?? signal))));
  });
}

/** Counts fetches in npm's log, and keeps the last other lines for the error message. */
function note(state, line) {
  state.atMs = Date.now();
  const fetched = /^npm http fetch (?:GET|POST) (\d+) (\S+)/.exec(line);
  if (fetched === null) {
    state.output = `${state.output}${line}\n`.slice(-4_000);
    return;
  }
  state.fetched += 1;
  state.last = fetched[2];
}

function waitingFor({ fetched, last, atMs }, seconds) {
  const quiet = seconds(atMs);
  if (fetched === 0) return 'npm waits for the registry, which has sent nothing yet';
  return quiet < 20
    ? `${fetched} files downloaded, the last is ${last}`
    : `${fetched} files downloaded, nothing for ${quiet} s after ${last} (npm waits for the registry, or unpacks on a slow disk)`;
}
