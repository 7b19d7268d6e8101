// `npm test` runs this program: the checks of types, format, lint and wire, then the tests of the first tier. With
// --project NAME (as often as needed) it runs the tests of these projects of vitest.config.ts instead. The last line is
// "N passed, N failed, N skipped"; each check counts as one. Vitest gets the other arguments as filters. With
// --failures FILE what failed is added to the file. A failed test is repeated only if it names a reason (retry.ts).
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@vantage/kernel';
import { createVitest, type TestModule } from 'vitest/node';
import { createSummary, type Outcome } from './summary.ts';

interface Check {
  readonly name: string;
  readonly argv: readonly string[];
  /** Checks the result of the command; undefined: good. */
  readonly inspect?: () => string | undefined;
}

const root = path.resolve(import.meta.dirname, '../..');
const generated = mkdtempSync(path.join(tmpdir(), 'vantage-generated-'));
const binaries = path.join(root, 'node_modules', '.bin');

/** Whoever runs the tests may have an older Node, which does not run every check. */
const ownNodeFirst = `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH'] ?? ''}`;

const checks: readonly Check[] = [
  { name: 'format and lint', argv: ['biome', 'ci', '--error-on-warnings', '--colors=off', '.'] },
  // TypeScript's own errors too: the types are loaded once for both.
  { name: 'types, and lint with types', argv: ['oxlint', '--type-aware', '--type-check', '--deny-warnings'] },
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
// The programs under test start as a user's do: with the cache of compiled code.
process.env['NODE_COMPILE_CACHE'] ??= path.join(root, 'node_modules', '.cache', 'compiled');
const { values, positionals: filters } = parseArgs({
  options: { project: { type: 'string', multiple: true }, failures: { type: 'string' } },
  allowPositionals: true,
});
if (values.project === undefined) for (const check of checks) await runCheck(check);
await runTests(values.project ?? ['code', 'repository']);
rmSync(generated, { recursive: true, force: true });
console.log(summary.text());
if (values.failures !== undefined && summary.failed > 0)
  appendFileSync(values.failures, `${summary.failures()}\n`);
process.exit(summary.failed === 0 ? 0 : 1);

/** Runs one check and prints its output only when it fails. */
async function runCheck(check: Check): Promise<void> {
  const counted: Pick<Outcome, 'name' | 'retries' | 'requested'> = {
    name: check.name,
    retries: 0,
    requested: 0,
  };
  const from = performance.now();
  const [program = '', ...args] = check.argv;
  const child = spawn(path.join(binaries, program), args, {
    env: { ...process.env, PATH: ownNodeFirst, TURBO_TELEMETRY_DISABLED: '1', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-20_000);
    });
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(1);
    });
    child.once('close', resolve);
  });
  const problem = code === 0 ? check.inspect?.() : output;
  if (problem === undefined) summary.add({ ...counted, state: 'passed', errors: [] });
  else summary.add({ ...counted, state: 'failed', errors: [problem] });
  console.log(
    `${problem === undefined ? 'ok  ' : 'FAIL'} ${check.name} (${((performance.now() - from) / 1000).toFixed(1)} s)`,
  );
}

/** Names the generated files that differ from those in the repository. */
function stale(): string | undefined {
  const fresh = path.join(generated, 'libs/proto/src/gen');
  const committed = path.join(root, 'libs/proto/src/gen');
  const names = (dir: string) =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)));
  const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
  const differ = [...new Set([...names(fresh), ...names(committed)])].filter(
    (name) => read(path.join(fresh, name)) !== read(path.join(committed, name)),
  );
  return differ.length === 0
    ? undefined
    : `these files are not what "npm run gen:proto" makes: ${differ.join(', ')}`;
}

/**
 * Runs the tests of these projects and adds them to the counts. A file that cannot be loaded, a global setup that fails
 * and an error outside of tests count as failed.
 */
async function runTests(projects: string[]): Promise<void> {
  const vitest = await createVitest('test', { watch: false, root, project: projects });
  const { length: count } = await vitest.globTestSpecifications(filters);
  try {
    if (count === 0) throw new Error('no test ran: no file matches');
    await vitest.start(filters);
    const { length: ran } = vitest.state.getTestModules();
    if (ran < count) throw new Error(`${ran} of ${count} files ran`);
  } catch (error) {
    summary.fail('the tests', messageOf(error));
  }
  for (const module of vitest.state.getTestModules()) addModule(module);
  for (const error of vitest.state.getUnhandledErrors())
    summary.fail('an error outside of the tests', messageOf(error));
  await vitest.close();
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
      requested: typeof retry === 'number' ? retry : (retry.count ?? 0),
      reason: test.meta().retryReason,
    });
  }
}

function noteOf(result: object): string | undefined {
  return 'note' in result && typeof result.note === 'string' ? result.note : undefined;
}
