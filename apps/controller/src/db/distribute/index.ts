export { distributeHistory } from './distribute.ts';
export { isDistributed, isDistributedSql, propagation } from './history-tables.ts';
export { type DistributionPlan, planDistribution, stagesLeft, workerStates } from './plan.ts';
