import { chooseCorrection, correctionAtStart, type StoredTime } from '../judge-clock.ts';

/** A clock that is wrong by `byUs` for so many ticks of ten seconds; a controller may be restarted meanwhile. */
export interface ClockFault {
  readonly whose: string;
  readonly byUs: number;
  readonly forTicks: number;
  readonly restarts: number | undefined;
}

const tickUs = 10_000_000;

/**
 * Two controllers on machines of their own, with a database and agents elsewhere. One clock at a time is wrong, then it
 * is right for a while. The oracle is the true time: returns how far a controller was from it, and from the other.
 */
export function simulateClocks(faults: readonly ClockFault[]): {
  readonly worstErrorUs: number;
  readonly worstDifferenceUs: number;
} {
  let trueUs = 1_800_000_000_000_000;
  let correction = { us: 0, no: 0 };
  let stored: StoredTime = { agreedUs: trueUs, seenUs: trueUs };
  const counts = [0, 0].map(() => ({ errorUs: 0, correctionNo: 0, differsForTicks: 0 }));
  let worstErrorUs = 0;
  let worstDifferenceUs = 0;
  const store = (us: number) => {
    if (us !== correction.us) correction = { us, no: correction.no + 1 };
  };

  const tick = (errorOf: (whose: string) => number) => {
    trueUs += tickUs;
    for (const [i, one] of counts.entries()) {
      const databaseAheadUs = errorOf('database') - one.errorUs;
      one.differsForTicks = Math.abs(databaseAheadUs) > 60_000_000 ? one.differsForTicks + 1 : 0;
      const nowUs = trueUs + one.errorUs;
      const chosen = chooseCorrection({
        databaseAheadUs,
        correctionUs: correction.us,
        isDecided: one.correctionNo !== correction.no,
        machineAheadUs: errorOf(`machine ${i}`) - one.errorUs,
        isApart: true,
        agentsAheadUs: errorOf('agents') - one.errorUs,
        stored: { agreedUs: stored.agreedUs - nowUs, seenUs: stored.seenUs - nowUs },
        differsForMs: one.differsForTicks * 10_000,
      });
      store(chosen);
      one.correctionNo = correction.no;
      one.errorUs += databaseAheadUs + chosen;
      worstErrorUs = Math.max(worstErrorUs, Math.abs(one.errorUs));
    }
    const [a, b] = counts.map(({ errorUs }) => errorUs);
    worstDifferenceUs = Math.max(worstDifferenceUs, Math.abs((a ?? 0) - (b ?? 0)));
    const seenUs = trueUs + (a ?? 0);
    stored = { agreedUs: Math.max(stored.agreedUs, seenUs), seenUs };
  };
  const start = (i: number, errorOf: (whose: string) => number) => {
    const databaseUs = trueUs + errorOf('database');
    const machineUs = trueUs + errorOf(`machine ${i}`);
    store(correctionAtStart({ databaseUs, machineUs, correctionUs: correction.us, stored }));
    const one = counts[i];
    if (one === undefined) return;
    one.errorUs = errorOf('database') + correction.us;
    one.correctionNo = correction.no;
    one.differsForTicks = 0;
  };

  for (const { whose, byUs, forTicks, restarts } of faults) {
    const errorOf = (one: string) => (one === whose ? byUs : 0);
    for (let i = 0; i < forTicks; i += 1) {
      tick(errorOf);
      if (i === 1 && restarts !== undefined) start(restarts, errorOf);
    }
    for (let i = 0; i < 5; i += 1) tick(() => 0);
  }
  return { worstErrorUs, worstDifferenceUs };
}
