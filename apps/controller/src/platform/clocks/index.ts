export { openClockJudge } from './clock-judge.ts';
export { followDatabase } from './clock-store.ts';
export { createHeldClock } from './held-clock.ts';
