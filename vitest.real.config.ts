import { defineConfig } from 'vitest/config';

/** The probes against real servers from Debian's packages; one file at a time, what cannot run says why. */
export default defineConfig({
  test: {
    include: ['tests/real-servers/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
