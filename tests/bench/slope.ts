/** A value at a time. */
export interface Point {
  readonly at: number;
  readonly value: number;
  /** Points of one life (of a process from its start to its end) have a level of their own. Default: all have one. */
  readonly life?: number;
}

/** The slope of a straight line, and its standard error. */
export interface Fit {
  readonly slope: number;
  readonly error: number;
}

const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);

/**
 * The common slope of parallel straight lines, one for each life, by least squares. NaN where all points have one time;
 * the error is NaN where the points leave no freedom.
 */
export function fitSlope(points: readonly Point[]): Fit {
  const lives = [...Map.groupBy(points, ({ life }) => life ?? 0).values()];
  const centred = lives.flatMap((life) => {
    const [at, value] = [mean(life.map((each) => each.at)), mean(life.map((each) => each.value))];
    return life.map((each) => ({ at: each.at - at, value: each.value - value }));
  });
  const spread = sum(centred.map(({ at }) => at ** 2));
  if (spread === 0) return { slope: Number.NaN, error: Number.NaN };
  const slope = sum(centred.map(({ at, value }) => at * value)) / spread;
  const rest = sum(centred.map(({ at, value }) => (value - slope * at) ** 2));
  const freedom = points.length - lives.length - 1;
  return { slope, error: freedom > 0 ? Math.sqrt(rest / freedom / spread) : Number.NaN };
}
