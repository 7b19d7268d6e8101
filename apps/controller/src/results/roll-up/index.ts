import { addDirtyHours, isRolledUp, readProgress, readRetired } from './progress.ts';
import { retireDays } from './retire-days.ts';
import { createRollUp } from './rollup.ts';
import { deleteRollUps, firstBucketUs, pastHistograms, readRollUps } from './rollup-store.ts';
import { addValueSums, dropValueHours } from './value-sum-store.ts';

export { compareSums } from './compare-sums.ts';
export { createSumSampler } from './sum-sampler.ts';

/** The only door to the tables of the roll-ups. Each step takes the functions that it needs of this object. */
export const rollUps = {
  createRollUp,
  addDirtyHours,
  readProgress,
  readRetired,
  isRolledUp,
  retireDays,
  readRollUps,
  firstBucketUs,
  pastHistograms,
  deleteRollUps,
  addValueSums,
  dropValueHours,
};
