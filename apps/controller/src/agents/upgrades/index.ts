export { insertRollout } from './store.ts';
export { createUpgrades } from './upgrades.ts';
