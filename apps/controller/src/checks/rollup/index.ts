import { markDirtyHours, readProgress } from './progress.ts';
import { createRollUp } from './rollup.ts';
import { deleteRollUps, firstBucketUs, pastHistograms, readRollUps } from './rollup-store.ts';

/** The only door to the tables of the roll-ups. Each step takes the functions that it needs of this object. */
export const rollUps = {
  createRollUp,
  markDirtyHours,
  readProgress,
  readRollUps,
  firstBucketUs,
  pastHistograms,
  deleteRollUps,
};
