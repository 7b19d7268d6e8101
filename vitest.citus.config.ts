import { defineConfig } from 'vitest/config';

const inController = (folder: string) => `apps/controller/src/${folder}/**/*.test.ts`;

/**
 * The tests of what is stored, folded, packed, rolled up and read, on a Citus cluster with a distributed history. The
 * cluster is the one of VANTAGE_TEST_CITUS, else one that is started for the run.
 */
export default defineConfig({
  test: {
    include: ['checks', 'status/health', 'platform/db/packed', 'platform/db/distribute', 'testing'].map(
      inController,
    ),
    // It starts a cluster of its own.
    exclude: ['**/node_modules/**', '**/distributed-history.test.ts'],
    globalSetup: ['tests/harness/citus-setup.ts'],
    // Each test database exists on three servers.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // As on PostgreSQL alone (vitest.config.ts).
    expect: { poll: { timeout: 20_000 } },
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
  },
});
