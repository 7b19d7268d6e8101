export { insertRollout } from './upgrade-store.ts';
export { createUpgrades } from './upgrades.ts';
