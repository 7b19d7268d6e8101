import { defineConfig } from 'vitest/config';
import { longestFirst } from './tests/harness/longest-first.ts';
import { timedServerTests } from './tests/harness/timed-servers.ts';

const shared = {
  // They end a test that hangs.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // Node itself loads the modules (vitest.config.ts).
  experimental: { viteModuleRunner: false, nodeLoader: false },
};

/** The probes against real servers from Debian's packages; what cannot run says why. */
export default defineConfig({
  test: {
    sequence: {
      sequencer: longestFirst([
        'table-mail',
        'private-network',
        'table-files',
        'table-web',
        'table-data',
        'install',
      ]),
    },
    projects: [
      {
        test: {
          ...shared,
          name: 'timed',
          include: [...timedServerTests],
          fileParallelism: false,
          // Three Methods at one time, of which each mostly waits, are rest.
          maxConcurrency: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'servers',
          include: ['tests/real-servers/**/*.test.ts'],
          exclude: [...timedServerTests],
          pool: 'forks',
          // Most of them wait for most of their time.
          maxWorkers: 7,
          maxConcurrency: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
