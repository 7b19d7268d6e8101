import { defineConfig } from 'vitest/config';

/** The faults: kill -9, cuts, takeovers, in true time, one file after the other. */
export default defineConfig({
  test: {
    include: ['tests/chaos/**/*.test.ts'],
    globalSetup: ['tests/harness/global-setup.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
    pool: 'forks',
    fileParallelism: false,
  },
});
