export { distributeHistory } from './distribute.ts';
export { isDistributed } from './history-tables.ts';
export { areShardsMoving } from './moving-shards.ts';
export { planDistribution, workerStates } from './plan.ts';
