import path from 'node:path';
import type { Clock, Logger } from '@vantage/kernel';
import type { Db } from '../db/index.ts';
import { type Continuity, createContinuity } from './continuity.ts';

/** Begins the controller's epoch; the last mark is remembered in its data folder. */
export async function openContinuity({
  dataDir,
  ...deps
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly dataDir: string;
}): Promise<Continuity> {
  const continuity = createContinuity({ ...deps, file: path.join(dataDir, 'database-history.json') });
  await continuity.start();
  return continuity;
}

export type { LostSpan } from './store.ts';
