// What `npm test` runs: types, format and lint, the wire's files, then every test. Its last line is
// "N passed, N failed, N skipped"; each of the checks before the tests counts as one. Arguments are passed to vitest as filters;
// with --config <file> only the tests of that configuration run, without the checks; --retry <n> says how often a failed test is tried again.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest, type TestModule } from 'vitest/node';

interface Counts {
  passed: number;
  failed: number;
  readonly skipped: string[];
  /** Passed at the second try only. */
  readonly flaky: string[];
}

interface Check {
  readonly name: string;
  readonly argv: readonly string[];
  /** Why it cannot run here. */
  readonly missing?: string;
  /** Looks at what the command made; undefined is well. */
  readonly inspect?: () => string | undefined;
}

const root = path.resolve(import.meta.dirname, '../..');
const generated = mkdtempSync(path.join(tmpdir(), 'vantage-generated-'));
const binaries = path.join(root, 'node_modules', '.bin');

const checks: readonly Check[] = [
  { name: 'types', argv: ['turbo', 'run', 'typecheck', '--continue', '--output-logs=errors-only'] },
  { name: 'format and lint', argv: ['biome', 'ci', '--error-on-warnings', '--colors=off', '.'] },
  { name: 'lint with types', argv: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'wire: lint', argv: ['buf', 'lint'] },
  { name: 'wire: generated code is up to date', argv: ['buf', 'generate', '-o', generated], inspect: stale },
  {
    name: 'wire: nothing breaks against the last commit',
    argv: ['buf', 'breaking', '--against', '.git#ref=HEAD'],
    ...(existsSync(path.join(root, '.git')) ? {} : { missing: 'this is no git clone' }),
  },
];

const counts: Counts = { passed: 0, failed: 0, skipped: [], flaky: [] };
process.chdir(root);
const { values, positionals } = parseArgs({
  options: { config: { type: 'string' }, retry: { type: 'string', default: '1' } },
  allowPositionals: true,
});
if (values.config === undefined) for (const check of checks) await runCheck(check);
rmSync(generated, { recursive: true, force: true });
await runTests(positionals, values.config);
if (counts.flaky.length > 0)
  console.log(`\npassed at the second try only:\n${counts.flaky.map((line) => `  ${line}`).join('\n')}`);
if (counts.skipped.length > 0)
  console.log(`\nskipped:\n${counts.skipped.map((line) => `  ${line}`).join('\n')}`);
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped.length} skipped`);
process.exit(counts.failed === 0 ? 0 : 1);

/** Runs one check and shows what it says only when it fails. */
async function runCheck(check: Check): Promise<void> {
  if (check.missing !== undefined) {
    counts.skipped.push(`${check.name}: ${check.missing}`);
    return;
  }
  const from = performance.now();
  const [program = '', ...args] = check.argv;
  const child = spawn(path.join(binaries, program), args, {
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', NO_COLOR: '1' },
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
  if (problem === undefined) counts.passed += 1;
  else counts.failed += 1;
  console.log(
    `${problem === undefined ? 'ok  ' : 'FAIL'} ${check.name} (${((performance.now() - from) / 1000).toFixed(1)} s)`,
  );
  if (problem !== undefined) console.log(problem);
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

/** Runs vitest and adds its tests to the counts; a file that cannot be loaded and an error outside of tests count as failed. */
async function runTests(filters: readonly string[], config: string | undefined): Promise<void> {
  const vitest = await startVitest('test', [...filters], {
    watch: false,
    root,
    // A machine may stand still for a second. What passes at the second try only is named in the summary: it is to be mended.
    retry: Number(values.retry),
    ...(config ? { config } : {}),
  });
  for (const module of vitest.state.getTestModules()) addModule(module);
  counts.failed += vitest.state.getUnhandledErrors().length;
  await vitest.close();
}

function addModule(module: TestModule): void {
  if (module.errors().length > 0) counts.failed += 1;
  for (const test of module.children.allTests()) {
    const result = test.result();
    switch (result.state) {
      case 'passed':
        counts.passed += 1;
        if ((test.diagnostic()?.retryCount ?? 0) > 0)
          counts.flaky.push(
            `${module.relativeModuleId} > ${test.fullName}: ${result.errors?.[0]?.message.split('\n')[0] ?? ''}`,
          );
        break;
      case 'failed':
        counts.failed += 1;
        break;
      case 'skipped':
      case 'pending':
        counts.skipped.push(
          `${module.relativeModuleId} > ${test.fullName}: ${noteOf(result) ?? 'no reason given'}`,
        );
        break;
    }
  }
}

function noteOf(result: object): string | undefined {
  return 'note' in result && typeof result.note === 'string' ? result.note : undefined;
}
