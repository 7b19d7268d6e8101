export type { Tracing } from './contract.ts';
export { tracedBatches, tracedFold } from './traced-ingest.ts';
export { openTracing } from './tracing.ts';
