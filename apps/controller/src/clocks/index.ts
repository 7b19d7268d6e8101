export { openClockJudge } from './clock-judge.ts';
export { createHeldClock } from './held-clock.ts';
