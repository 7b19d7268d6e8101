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
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
