import type { SortKey } from './filter-text.ts';

/** A column of the list of devices. */
interface ColumnRule {
  /** The minimum width, pixels. */
  readonly width: number;
  /** The share of the remaining width; absent: none. */
  readonly share?: number;
  /** The sort key of a press on the head; absent: the list cannot be sorted by this column. */
  readonly sort?: SortKey;
  /** The facts that are read for it. */
  readonly reads?: 'settings' | 'figures';
}

/** Every column, in the order in which they stand. */
const columnRules = {
  status: { width: 142, sort: 'worst' },
  device: { width: 170, share: 3, sort: 'name' },
  url: { width: 170, share: 2, sort: 'url', reads: 'settings' },
  method: { width: 60, sort: 'method' },
  severity: { width: 70, sort: 'severity' },
  day: { width: 120, share: 2 },
  uptime: { width: 84, reads: 'figures' },
  last: { width: 68, sort: 'last' },
  p95: { width: 68, reads: 'figures' },
  loss: { width: 64, reads: 'figures' },
  trend: { width: 76, reads: 'figures' },
  checked: { width: 76, sort: 'checked' },
  frequency: { width: 76, sort: 'frequency', reads: 'settings' },
  master: { width: 110, share: 1, sort: 'master', reads: 'settings' },
  schedule: { width: 110, share: 1, sort: 'schedule', reads: 'settings' },
  source: { width: 110, share: 1, sort: 'source', reads: 'settings' },
  location: { width: 84, share: 0.7, sort: 'location' },
  tag: { width: 110, share: 1, sort: 'tag' },
} as const satisfies Readonly<Record<string, ColumnRule>>;

export type ColumnName = keyof typeof columnRules;

export const columnNames = Object.keys(columnRules) as readonly ColumnName[];

export const ruleOf = (name: ColumnName): ColumnRule => columnRules[name];

/** Columns that cannot be taken away. */
export const fixedColumns: readonly ColumnName[] = ['status', 'device'];

const narrowDefault: readonly ColumnName[] = ['status', 'device', 'method', 'day', 'last', 'location', 'tag'];
const wideDefault: readonly ColumnName[] = [...narrowDefault, 'p95', 'trend', 'checked'];
const wideFrom = 1_600;

/** The columns when none were chosen. */
export const defaultColumns = (windowWidth: number): readonly ColumnName[] =>
  inOrder(windowWidth >= wideFrom ? wideDefault : narrowDefault);

const inOrder = (names: readonly string[]): readonly ColumnName[] =>
  columnNames.filter((name) => fixedColumns.includes(name) || names.includes(name));

/** The columns in a text, `status,device,url`; undefined: it names none. */
export function parseColumns(text: string | null): readonly ColumnName[] | undefined {
  const names = (text ?? '').split(',').filter((name) => columnNames.some((column) => column === name));
  return names.length === 0 ? undefined : inOrder(names);
}

/** The columns with one more, or without it. */
export const toggleColumn = (columns: readonly ColumnName[], name: ColumnName): readonly ColumnName[] =>
  inOrder(columns.includes(name) ? columns.filter((each) => each !== name) : [...columns, name]);

/** Dropped first where the window is too narrow. */
const dropped: readonly ColumnName[] = [
  'source',
  'schedule',
  'master',
  'frequency',
  'tag',
  'location',
  'checked',
  'trend',
  'loss',
  'url',
  'severity',
  'p95',
  'uptime',
  'method',
  'last',
  'day',
];

const gap = 12;
const box = 16;

/** The columns that fit into a width. The others are named by the chooser of columns. */
export function fittingColumns(columns: readonly ColumnName[], width: number): readonly ColumnName[] {
  const needed = (names: readonly ColumnName[]) =>
    names.reduce((sum, name) => sum + ruleOf(name).width + gap, box);
  let fitting = columns;
  for (const name of dropped) {
    if (needed(fitting) <= width) break;
    fitting = fitting.filter((each) => each !== name);
  }
  return fitting;
}

/** The columns as a template of a grid, after that of the checkbox. */
export const gridOf = (columns: readonly ColumnName[]): string =>
  [
    `${box}px`,
    ...columns.map((name) => {
      const { width, share } = ruleOf(name);
      return share === undefined ? `${width}px` : `minmax(${width}px, ${share}fr)`;
    }),
  ].join(' ');
