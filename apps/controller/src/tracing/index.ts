export { tracedBatches, tracedFold } from './traced-ingest.ts';
export { openTracing, type Tracing } from './tracing.ts';
