// `npm test` runs this program: it runs every test and, beside them, checks types, format, lint and the files of the
// wire. The last line is "N passed, N failed, N skipped"; each check counts as one. Vitest gets the arguments as
// filters. With --config <file> only the tests of that configuration run, without the checks; with --project <name>
// only those of its project. With --failures <file> what failed is added to the file. A failed test is repeated only if
// it names a reason (retry.ts).
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@vantage/kernel';
import { createVitest, type TestModule } from 'vitest/node';
import { bundlePrograms, removeOld } from './bundled-programs.ts';
import { createSummary, type Outcome } from './summary.ts';

interface Check {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The reason why it cannot run on this machine. */
  readonly missing?: string;
  /** Checks the result of the command; undefined: good. */
  readonly inspect?: () => string | undefined;
}

const root = path.resolve(import.meta.dirname, '../..');
const generated = mkdtempSync(path.join(tmpdir(), 'vantage-generated-'));
const binaries = path.join(root, 'node_modules', '.bin');
const cache = path.join(root, 'node_modules', '.cache');

/** Whoever runs the tests may have an older Node, which does not run every check. */
const ownNodeFirst = `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH'] ?? ''}`;

const checks: readonly Check[] = [
  { name: 'format and lint', argv: ['biome', 'ci', '--error-on-warnings', '--colors=off', '.'] },
  // TypeScript's own errors too: the types are loaded once for both, and once for all folders but the page.
  {
    name: 'types, and lint with types',
    argv: ['oxlint', '--type-aware', '--type-check', '--deny-warnings'],
    // Its Go part collects no garbage below 6 GiB (it needs 4.9, with garbage collected 4.4). Beside the tests it lasts
    // for minutes, and every two minutes Go would collect: that took two thirds of its processor time.
    env: { GOGC: 'off', GOMEMLIMIT: '6GiB' },
  },
  {
    name: 'nothing without a user',
    argv: ['knip', '--no-progress', '--treat-config-hints-as-errors'],
  },
  { name: 'wire: lint', argv: ['buf', 'lint'] },
  { name: 'wire: generated code is up to date', argv: ['buf', 'generate', '-o', generated], inspect: stale },
  {
    name: 'wire: nothing breaks against the last release',
    argv: ['buf', 'breaking', '--against', 'proto/released.binpb'],
  },
];

const summary = createSummary();
process.chdir(root);
// The programs under test start as a user's do: with the cache of compiled code. Each version of a file adds to it.
const compiled = path.join(cache, 'compiled');
mkdirSync(compiled, { recursive: true });
removeOld(compiled, 3 * 86_400_000);
process.env['NODE_COMPILE_CACHE'] ??= compiled;
const { values, positionals } = parseArgs({
  options: { config: { type: 'string' }, project: { type: 'string' }, failures: { type: 'string' } },
  allowPositionals: true,
});
// What is attacked, killed or timed starts the sources, with the memory of users.
if (values.config === undefined || values.project === 'servers') {
  process.env['NODE_OPTIONS'] = await bundlePrograms(path.join(cache, 'programs'));
  // Page faults cost a tenth of the processors' time, on some virtual machines a third: glibc asks for large pages.
  process.env['GLIBC_TUNABLES'] ??= 'glibc.malloc.hugetlb=1';
}
// In one vitest the tests of programs would begin in all of its processes, and those of code would end in all of them.
const projects =
  values.config === undefined && values.project === undefined ? ['code', 'system'] : [values.project];
const [, ...counts] = await Promise.all([
  values.config === undefined ? runChecks() : undefined,
  ...projects.map((project) => runTests(positionals, { config: values.config, project })),
]);
if (!counts.some((count) => count > 0)) summary.fail('the tests', 'no test ran: no file matches');
rmSync(generated, { recursive: true, force: true });
console.log(summary.text());
if (values.failures !== undefined && summary.failed > 0)
  appendFileSync(values.failures, `${summary.failures()}\n`);
process.exit(summary.failed === 0 ? 0 : 1);

/** Runs one check after the other: many tests wait, so there is room for one beside them. */
async function runChecks(): Promise<void> {
  for (const check of checks) await runCheck(check);
}

/** Runs one check and prints its output only when it fails. */
async function runCheck(check: Check): Promise<void> {
  const counted: Pick<Outcome, 'name' | 'retries' | 'asks'> = { name: check.name, retries: 0, asks: 0 };
  if (check.missing !== undefined) {
    summary.add({ ...counted, state: 'skipped', note: check.missing, errors: [] });
    return;
  }
  const from = performance.now();
  const [program = '', ...args] = check.argv;
  const child = spawn(path.join(binaries, program), args, {
    env: { ...process.env, ...check.env, PATH: ownNodeFirst, TURBO_TELEMETRY_DISABLED: '1', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-20_000);
    });
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      said += error.message;
      resolve(1);
    });
    child.once('close', resolve);
  });
  const problem = code === 0 ? check.inspect?.() : said;
  if (problem === undefined) summary.add({ ...counted, state: 'passed', errors: [] });
  else summary.add({ ...counted, state: 'failed', errors: [problem] });
  console.log(
    `${problem === undefined ? 'ok  ' : 'FAIL'} ${check.name} (${((performance.now() - from) / 1000).toFixed(1)} s)`,
  );
}

/** Names the generated files that differ from those in the repository. */
function stale(): string | undefined {
  const fresh = path.join(generated, 'libs/proto/src/gen');
  const kept = path.join(root, 'libs/proto/src/gen');
  const names = (dir: string) =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)));
  const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
  const differ = [...new Set([...names(fresh), ...names(kept)])].filter(
    (name) => read(path.join(fresh, name)) !== read(path.join(kept, name)),
  );
  return differ.length === 0
    ? undefined
    : `these files are not what "npm run generate" makes: ${differ.join(', ')}`;
}

/**
 * Runs vitest and adds its tests to the counts; a file that cannot be loaded, a global setup that fails and an error
 * outside of tests count as failed. Resolves with the number of files that match.
 */
async function runTests(
  filters: readonly string[],
  { config, project }: { readonly config: string | undefined; readonly project: string | undefined },
): Promise<number> {
  const options = { watch: false, root, ...(config && { config }), ...(project && { project }) };
  // What vitest remembers of a run would be overwritten by the other one.
  const cacheDir = path.join(cache, 'vitest', project ?? 'all');
  const vitest = await createVitest('test', options, { cacheDir });
  const { length: count } = await vitest.globTestSpecifications([...filters]);
  try {
    if (count > 0) await vitest.start([...filters]);
    const { length: ran } = vitest.state.getTestModules();
    if (ran < count) throw new Error(`${ran} of ${count} files ran`);
  } catch (error) {
    summary.fail(`the tests${project === undefined ? '' : ` (${project})`}`, messageOf(error));
  }
  for (const module of vitest.state.getTestModules()) addModule(module);
  for (const error of vitest.state.getUnhandledErrors())
    summary.fail('an error outside of the tests', messageOf(error));
  await vitest.close();
  return count;
}

function addModule(module: TestModule): void {
  const [error] = module.errors();
  if (error !== undefined) summary.fail(module.relativeModuleId, error.message);
  for (const test of module.children.allTests()) {
    const result = test.result();
    const { retry = 0 } = test.options;
    summary.add({
      name: `${module.relativeModuleId} > ${test.fullName}`,
      state: result.state === 'pending' ? 'skipped' : result.state,
      note: noteOf(result),
      errors: (result.errors ?? []).map(({ message }) => message),
      retries: test.diagnostic()?.retryCount ?? 0,
      asks: typeof retry === 'number' ? retry : (retry.count ?? 0),
      reason: test.meta().retryReason,
    });
  }
}

function noteOf(result: object): string | undefined {
  return 'note' in result && typeof result.note === 'string' ? result.note : undefined;
}
