import path from 'node:path';
import type { Clock, Logger } from '@vantage/kernel';
import type { Db } from '../db-access.ts';
import { type Continuity, createContinuity } from './continuity.ts';

/** Begins the controller's epoch. Its last position is remembered in the data folder. */
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

export type { LostSpan } from './remembered-position.ts';
