import { defineConfig } from 'vitest/config';

/** Faults in true time: kills, cuts, full disks. Minutes, not seconds; each file has the machine for itself. */
export default defineConfig({
  test: {
    include: ['tests/chaos/**/*.test.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    maxConcurrency: 8,
  },
});
