export { distributeHistory } from './distribute.ts';
export { planDistribution, workerStates } from './distribution-plan.ts';
export { areHotTablesDistributed, isDistributed } from './history-tables.ts';
