export { countOf, type Histogram, mergeHistograms, percentile } from './histogram.ts';
export { createIngest, type Fold, type Ingest, type Sender, type Taken } from './ingest.ts';
export { createPartitions, type Partitions } from './partitions.ts';
export { createRollUp, type RollUp } from './rollup.ts';
export type { CheckRow } from './rows.ts';
export { createUpkeep, type Upkeep } from './upkeep.ts';
