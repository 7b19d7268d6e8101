export { createHousekeeping, type Housekeeping } from './housekeeping.ts';
export { type BatchOutcome, createIngest, type Fold, type Ingest, type Sender } from './ingest.ts';
export type { CheckRow } from './rows.ts';
