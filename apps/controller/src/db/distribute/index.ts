export { distributeHistory } from './distribute.ts';
export { planDistribution, workerStates } from './plan.ts';
