import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Clock, createLog, type Logger } from '@vantage/kernel';
import { createDb, createPartitions, type Db } from '@vantage/storage';
import { startEmbedded } from '@vantage/storage-ops/embedded/embedded';

/** An empty PostgreSQL of a benchmark, in a folder of its own. Disposing it ends it and removes the folder. */
export interface BenchDatabase extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Prints errors only. */
  readonly log: Logger;
}

/** Starts it. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  await using resources = new AsyncDisposableStack();
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-bench-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const log = createLog('bench', 'error');
  const embedded = await startEmbedded({ dir: path.join(folder, 'pg'), log });
  resources.defer(() => embedded.stop());
  const owned = resources.move();
  const { url, pid } = embedded;
  return { url, pid, log, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Starts one with all tables and the partitions of checks. */
export async function startMigratedDatabase(of: {
  readonly clock: Clock;
  readonly retentionDays: number;
}): Promise<AsyncDisposable & { readonly db: Db; readonly log: Logger }> {
  await using resources = new AsyncDisposableStack();
  const { url, log } = resources.use(await startBenchDatabase());
  const db = await createDb({ connection: { url }, log });
  resources.defer(() => db.close());
  await db.migrate();
  await createPartitions({ db, log, ...of }).ensure();
  const owned = resources.move();
  return { db, log, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
