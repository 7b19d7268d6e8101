export { rolloutStage } from './decide-rollout.ts';
export { insertRollout } from './upgrade-store.ts';
export { createUpgrades } from './upgrades.ts';
