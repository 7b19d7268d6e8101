export { areShardsMoving, distributeHistory } from './distribute.ts';
export { isDistributed } from './history-tables.ts';
export { planDistribution, workerStates } from './plan.ts';
