import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const onCitus = process.env['VANTAGE_TEST_CITUS'] !== undefined;

/** Most tests wait now and then. */
const maxWorkers = availableParallelism() + 1;

const common = {
  // They end a test that hangs. No test depends on the machine's speed.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  pool: 'forks',
  // Node loads the modules, as it does for the programs: Vite transforms nothing, and no test mocks a module.
  experimental: { viteModuleRunner: false, nodeLoader: false },
} as const;

/** Projects of a later group begin when those of the earlier ones have ended. */
function project(
  name: string,
  groupOrder: number,
  options: TestProjectInlineConfiguration['test'] = {},
): TestProjectInlineConfiguration {
  return { test: { ...common, name, sequence: { groupOrder }, ...options } };
}

/** Tests that compare times, or measure one account while another one attacks: nothing runs at the same time. */
const alone = { fileParallelism: false } as const;
const timed = '**/*.timed.test.ts';
const node_modules = '**/node_modules/**';

/** `npm test` runs the first two projects, `npm run test:system` the next five. docs/testing.md describes all. */
const projects = [
  project('code', 0, {
    include: [
      'libs/*/{src,binaries}/**/*.test.ts',
      'apps/*/{src,tests,bin}/**/*.test.ts',
      'agent-installer/{*,controller/*,src/**/*}.test.ts',
    ],
    exclude: [node_modules, '**/*.system.test.ts'],
    // One process runs many of these files, and loads the modules that they share once.
    isolate: false,
    maxWorkers,
  }),
  project('repository', 0, {
    include: ['tests/*.test.ts', 'tests/{import-rules,openapi-types,smoke}/**/*.test.ts'],
    maxWorkers,
  }),
  project('system', 1, {
    include: ['{libs,apps}/*/{src,tests}/**/*.system.test.ts', 'tests/{e2e,compat,interop}/**/*.test.ts'],
    maxWorkers,
  }),
  project('browser', 1, { include: ['tests/browser/**/*.test.ts'], maxWorkers }),
  project('attacks', 2, { include: ['tests/attacks/**/*.test.ts'], ...alone }),
  project('servers', 3, {
    include: ['tests/real-servers/**/*.test.ts'],
    exclude: [node_modules, timed],
    maxWorkers,
    maxConcurrency: 3,
  }),
  // Three Methods at the same time, each of which mostly waits, do not disturb each other.
  project('timed', 4, { include: [`tests/real-servers/${timed}`], ...alone, maxConcurrency: 3 }),
  project('plans', 5, { include: ['tests/bench/plans/**/*.test.ts'], ...alone }),
  // In real time; they wait for most of it.
  project('chaos', 6, {
    include: ['tests/chaos/**/*.test.ts'],
    exclude: [node_modules, timed],
    testTimeout: 1_800_000,
    hookTimeout: 400_000,
    maxWorkers: maxWorkers + 2,
  }),
  project('chaos-timed', 7, {
    include: [`tests/chaos/${timed}`],
    testTimeout: 1_800_000,
    hookTimeout: 400_000,
    ...alone,
  }),
];

/** The tests of the history once more, on the Citus cluster that VANTAGE_TEST_CITUS names. */
const citus = project('citus', 0, {
  include: [
    'apps/controller/{src,tests}/{results,reading}/**/*.test.ts',
    'apps/controller/tests/*.test.ts',
    'libs/storage/src/{packed,distribute}/**/*.test.ts',
  ],
  exclude: [node_modules, '**/*.system.test.ts'],
  isolate: false,
  maxWorkers: 2,
});

export default defineConfig({
  test: {
    // One PostgreSQL, or one cluster, for all projects of a run.
    globalSetup: [onCitus ? 'tests/harness/citus-setup.ts' : 'tests/harness/global-setup.ts'],
    projects: onCitus ? [citus] : projects,
  },
});
