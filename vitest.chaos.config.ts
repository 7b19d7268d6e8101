import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { longestFirst } from './tests/harness/longest-first.ts';

const page = readFileSync(path.join(import.meta.dirname, 'docs/faults.md'), 'utf8');
/** The files that the page of faults names. */
const named = [...new Set([...page.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = '']) => file))];
for (const file of named)
  if (!existsSync(path.join(import.meta.dirname, file)))
    throw new Error(`docs/faults.md names ${file}, which does not exist`);

const inChaos = (name: string) => `tests/chaos/${name}.test.ts`;
/** They measure times of one agent that has little to do: beside each other, when the others have ended. */
const quiet = ['stall-agent', 'kill-retry-sequence', 'agent-disk'].map(inChaos);
/** They need most of the machine: one after the other, at the end. */
const alone = ['thousand-agents', 'kill-agent'].map(inChaos);
/** These last longest, so they begin first. */
const longest = ['cut', 'several-agents', 'cut-subnet', 'two-controllers', 'lab', 'kill-controller', 'kill'];

const shared = {
  globalSetup: ['tests/harness/global-setup.ts'],
  testTimeout: 1_800_000,
  hookTimeout: 400_000,
  pool: 'forks' as const,
};

/**
 * The faults: kill -9, cuts, takeovers, in true time. Most files wait for most of their time, so they run beside each
 * other.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: longestFirst(longest) },
    projects: [
      {
        test: {
          ...shared,
          name: 'beside each other',
          include: ['tests/chaos/**/*.test.ts', ...named],
          exclude: [...alone, ...quiet],
          maxWorkers: 5,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'quiet',
          include: quiet,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: 'alone',
          include: alone,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
