export type { Tracing } from './contract.ts';
export { openTracing, tracedBatches, tracedFold } from './tracing.ts';
