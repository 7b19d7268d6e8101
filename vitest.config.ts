import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { longestFirst } from './tests/harness/longest-first.ts';

/** Processes of each project, which `npm test` runs at once. More of them spend a fifth more of the processors' time. */
const maxWorkers = Math.min(6, Math.max(2, availableParallelism())) + 1;

const shared = {
  maxWorkers,
  // They end a test that hangs. No test depends on the machine's speed, and a busy machine is ten times slower.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  pool: 'forks' as const,
  // Node itself loads the modules, as it does for the programs: no test needs them transformed, and no test mocks one.
  experimental: { viteModuleRunner: false, nodeLoader: false },
};

/** These wait for true minutes, start many programs or look at many screens. */
const longest = [
  'browser',
  'programs',
  'on-citus',
  'vantage-up',
  'moved',
  'commands',
  'release',
  'poisoned-values',
  'secrets',
  'captured-traffic',
  'wire',
  'outages',
  'roles',
];

/** Tests of code that mostly wait: they run while the other project keeps the processors busy. */
const waiting = [
  'acknowledge-all',
  'cut-off',
  'script-hostile',
  'deliveries',
  'balance',
  'deliveries.property',
  'api-port-deadlines',
  'coordinator-alone',
  'agent-anchors',
  'gateway',
  'page-mails',
  'hostile',
  'assign',
];

/** Tests of documents, rules and the harness: a process of its own would cost each of them more than it does. */
const small = [
  'tests/{data-flow,methods,security,settings}-page.test.ts',
  'tests/{image-files,readme}.test.ts',
  'tests/{bench,harness,import-rules,lab}/**/*.test.ts',
  'tests/interop/foreign-grpc.test.ts',
];

/** Unit, integration and end-to-end tests; the real-server, chaos and attack runs have their own configs. */
export default defineConfig({
  test: {
    // Once in each vitest, also where it runs both projects.
    globalSetup: ['tests/harness/global-setup.ts'],
    sequence: { sequencer: longestFirst([...longest, ...waiting]) },
    projects: [
      {
        test: {
          ...shared,
          // One process runs many of these files, and loads the modules that they share once.
          name: 'code',
          isolate: false,
          include: [
            'libs/*/src/**/*.test.ts',
            'apps/*/src/**/*.test.ts',
            'agent-installer/src/**/*.test.ts',
            ...small,
          ],
        },
      },
      {
        test: {
          ...shared,
          name: 'system',
          include: ['tests/**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            'tests/real-servers/**',
            'tests/chaos/**',
            'tests/attacks/**',
            ...small,
          ],
        },
      },
    ],
  },
});
