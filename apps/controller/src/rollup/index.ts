export { createRollUp, type RollUp } from './rollup.ts';
