export { openTracing, tracedBatches, tracedFold } from './tracing.ts';
export type { Tracing } from './tracing-contract.ts';
