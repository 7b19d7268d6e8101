import { defineConfig } from 'vitest/config';

/** Unit, integration and end-to-end tests; the real-server, chaos and attack runs have their own configs. */
export default defineConfig({
  test: {
    include: [
      'libs/*/src/**/*.test.ts',
      'apps/*/src/**/*.test.ts',
      'agent-installer/src/**/*.test.ts',
      'tests/**/*.test.ts',
    ],
    exclude: [
      '**/node_modules/**',
      'tests/real-servers/**',
      'tests/chaos/**',
      'tests/attacks/**',
      'tests/bench/**',
    ],
    globalSetup: ['tests/harness/global-setup.ts'],
    // They end a test that hangs. No test depends on the machine's speed, and a busy machine is ten times slower.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    maxWorkers: 2,
  },
});
