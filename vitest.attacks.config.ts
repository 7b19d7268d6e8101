import { defineConfig } from 'vitest/config';

/**
 * The attacks: hostile agents, scripts, targets, keys and strangers against a running system, while another account's
 * service is measured. One file after the other, since each one measures; never a second try, since a limit that holds
 * only sometimes does not hold.
 */
export default defineConfig({
  test: {
    include: ['tests/attacks/**/*.test.ts'],
    globalSetup: ['tests/harness/global-setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Node itself loads the modules (vitest.config.ts).
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: 'forks',
    fileParallelism: false,
    retry: 0,
  },
});
