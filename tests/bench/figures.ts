import { appendFileSync } from 'node:fs';

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

/** A figure with its upper limit. */
export function bounded(what: string, unit: string, ours: number, limit: number): Figure {
  return { what, unit, ours, theirs: limit, peer: 'bound', better: 'less' };
}

/** The value below which this part of the values lies; NaN without values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** A number with three digits. */
export function shownNumber(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** Prints lines of cells as columns under a title. */
export function printColumns(title: string, lines: readonly (readonly string[])[]): void {
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0))) ?? [];
  const table = lines.map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  process.stdout.write(`\n${title}\n${table.map((line) => `${line.trimEnd()}\n`).join('')}`);
}

/**
 * Prints figures as a table, then as one line of JSON. The line is added to the file that VANTAGE_BENCH_FIGURES names,
 * too.
 */
export function printFigures(title: string, figures: readonly Figure[]): void {
  const hasBefore = figures.some(({ before }) => before !== undefined);
  const lines = figures.map((figure) => {
    const { what, unit, ours, before, peer, theirs, better } = figure;
    const ratio = ratioOf(figure)?.toFixed(2) ?? '-';
    const other = typeof theirs === 'number' ? shownNumber(theirs) : theirs;
    const earlier = hasBefore ? [before === undefined ? '-' : shownNumber(before)] : [];
    return [
      what,
      `${shownNumber(ours)} ${unit}`.trim(),
      ...earlier,
      peer,
      other,
      ratio,
      `${better} is better`,
    ];
  });
  printColumns(title, [
    ['figure', 'ours', ...(hasBefore ? ['before'] : []), 'beside', 'theirs', 'ratio', ''],
    ...lines,
  ]);
  const rows = figures.map((figure) => ({ ...figure, ratio: ratioOf(figure) ?? null }));
  const json = `${JSON.stringify({ title, figures: rows })}\n`;
  process.stdout.write(json);
  const file = process.env['VANTAGE_BENCH_FIGURES'];
  if (file !== undefined) appendFileSync(file, json);
}
