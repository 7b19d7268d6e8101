/** A figure of Vantage with the figure to compare it with. */
export interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  /** The figure of an earlier version in the same run. */
  readonly before?: number;
  readonly peer: string;
  /** The peer's figure, or the reason why there is none. */
  readonly theirs: number | string;
  readonly better: 'less' | 'more';
}

/** The figure of Vantage divided by the peer's; undefined without a peer's figure. */
function ratioOf({ ours, theirs }: Figure): number | undefined {
  return typeof theirs === 'number' ? ours / theirs : undefined;
}

/** Prints figures as a table, then as one line of JSON. */
export function printFigures(title: string, figures: readonly Figure[]): void {
  const shown = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
  const hasBefore = figures.some(({ before }) => before !== undefined);
  const lines = figures.map((figure) => {
    const { what, unit, ours, before, peer, theirs, better } = figure;
    const ratio = ratioOf(figure)?.toFixed(2) ?? '-';
    const other = typeof theirs === 'number' ? shown(theirs) : theirs;
    const earlier = hasBefore ? [before === undefined ? '-' : shown(before)] : [];
    return [what, `${shown(ours)} ${unit}`.trim(), ...earlier, peer, other, ratio, `${better} is better`];
  });
  const all = [
    ['figure', 'ours', ...(hasBefore ? ['before'] : []), 'beside', 'theirs', 'ratio', ''],
    ...lines,
  ];
  const widths = all[0]?.map((_, at) => Math.max(...all.map((line) => line[at]?.length ?? 0))) ?? [];
  const table = all.map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  process.stdout.write(`\n${title}\n${table.map((line) => `${line.trimEnd()}\n`).join('')}`);
  const rows = figures.map((figure) => ({ ...figure, ratio: ratioOf(figure) ?? null }));
  process.stdout.write(`${JSON.stringify({ title, figures: rows })}\n`);
}
