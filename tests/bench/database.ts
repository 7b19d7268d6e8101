import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLog, type Logger } from '@vantage/kernel';
import { startEmbedded } from '../../apps/controller/src/db/embedded.ts';

/** An empty PostgreSQL of a benchmark, in a folder of its own. Disposing it ends it and removes the folder. */
export interface BenchDatabase extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Prints errors only. */
  readonly log: Logger;
}

/** Starts it. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  await using held = new AsyncDisposableStack();
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-bench-'));
  held.defer(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const log = createLog('bench', 'error');
  const embedded = await startEmbedded({ dir: path.join(folder, 'pg'), log });
  held.defer(() => embedded.stop());
  const kept = held.move();
  const { url, pid } = embedded;
  return { url, pid, log, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
