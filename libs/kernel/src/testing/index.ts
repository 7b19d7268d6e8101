export { anyCharacter } from './any-character.ts';
export { type CpuTime, startCpuTimer, threadCpuMs } from './cpu-time.ts';
export { advanceUntilEnded, createFakeClock, type FakeClock } from './fake-clock.ts';
export {
  malformedDoubles,
  malformedInt64s,
  malformedText,
  malformedTexts,
  malformedUint32s,
  malformedUint64s,
  malformedValue,
} from './malformed.ts';
export { programEnv } from './program-env.ts';
export { propertyRuns } from './property-runs.ts';
export { createSteppedClock, type SteppedClock } from './stepped-clock.ts';
