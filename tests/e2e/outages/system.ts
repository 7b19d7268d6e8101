import { afterAll, beforeAll } from 'vitest';
import { useOperator } from '../../harness/operator.ts';
import type { System } from '../../harness/system.ts';
import { startSystemOnDatabase } from '../../harness/system-on-database.ts';

/** The pace of the system's time, so that minutes of its rules pass in seconds; its agents need the same settings. */
export const fast = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '10' };

/** The system of the tests of a file. */
export let system: System;

const runOperator = useOperator();
/** Runs an operator's command on the system, and reads its JSON. */
export const operate = (...args: readonly string[]) => runOperator({ VANTAGE_DATA: system.dataDir }, ...args);

beforeAll(async () => {
  system = await startSystemOnDatabase({
    env: { ...fast, VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true' },
    timeoutMs: 500_000,
  });
}, 600_000);
afterAll(() => system?.[Symbol.asyncDispose]());
