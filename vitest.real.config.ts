import { defineConfig } from 'vitest/config';

/** They compare times with the machine's own, so nothing else runs beside them. */
const timed = ['accuracy*', 'name-accuracy', 'ping', 'portless'].map(
  (name) => `tests/real-servers/${name}.test.ts`,
);
/** They end a test that hangs. */
const limits = { testTimeout: 120_000, hookTimeout: 120_000 };

/** The probes against real servers from Debian's packages; what cannot run says why. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...limits,
          name: 'timed',
          include: timed,
          fileParallelism: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...limits,
          name: 'servers',
          include: ['tests/real-servers/**/*.test.ts'],
          exclude: timed,
          pool: 'forks',
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
