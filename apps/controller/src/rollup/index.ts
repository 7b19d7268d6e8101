export { markDirtyHours, readProgress } from './progress.ts';
export { createRollUp } from './rollup.ts';
export { deleteRollUps, firstBucketUs, pastHistograms, readRollUps } from './rollup-store.ts';
