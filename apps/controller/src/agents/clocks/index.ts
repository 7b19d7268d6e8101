export { followDatabase } from './clock-store.ts';
export { createSharedClock, type SharedClock } from './shared-clock.ts';
export { openTimeKeeper } from './time-keeper.ts';
