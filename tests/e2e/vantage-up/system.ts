import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type System, startSystem } from '../../harness/system.ts';

// With a long path the socket needs its short link, and everything else must still work.
const root = mkdtempSync(path.join(tmpdir(), 'vantage-up-'));
const dataDir = path.join(root, 'd'.repeat(150 - root.length - 1));

/** The system of the tests of a file. */
export let system: System;

/** Starts the system on its data folder, again where it was ended. */
export async function start(): Promise<void> {
  system = await startSystem({ dataDir, timeoutMs: 500_000 });
}

beforeAll(start, 600_000);
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});
