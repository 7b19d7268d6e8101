import { percentile } from './percentile.ts';

interface FoldedCheck {
  readonly check_id: string;
  readonly ResultCode: number;
  readonly CheckResult: string;
  readonly RequestTime: number;
}

/** Neighbouring checks with the same outcome. */
export interface Stretch<Check extends FoldedCheck> {
  readonly outcome: 'good' | 'bad' | 'inconclusive';
  /** Newest first. */
  readonly checks: readonly Check[];
  /** The most frequent result; of equally frequent ones the newest. */
  readonly result: string;
  /** The median of the measured times, milliseconds. */
  readonly median: number | undefined;
}

/** Codes 9 and 10 are inconclusive. */
function outcomeOf({ ResultCode }: FoldedCheck): Stretch<FoldedCheck>['outcome'] {
  if (ResultCode === 1) return 'good';
  return ResultCode >= 9 ? 'inconclusive' : 'bad';
}

/** Checks, newest first, as stretches with the same outcome. Pure. */
export function foldChecks<Check extends FoldedCheck>(checks: readonly Check[]): readonly Stretch<Check>[] {
  const runs: { outcome: Stretch<Check>['outcome']; checks: Check[] }[] = [];
  for (const check of checks) {
    const outcome = outcomeOf(check);
    const last = runs.at(-1);
    if (last?.outcome === outcome) last.checks.push(check);
    else runs.push({ outcome, checks: [check] });
  }
  return runs.map(({ outcome, checks: own }) => ({
    outcome,
    checks: own,
    result: mostFrequent(own.map(({ CheckResult }) => CheckResult)),
    median: percentile(
      own.map(({ RequestTime }) => RequestTime).filter((ms) => ms > 0),
      0.5,
    ),
  }));
}

function mostFrequent(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  return texts.find((text) => counts.get(text) === most) ?? '';
}
