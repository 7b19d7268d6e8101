import type { FilterableSettings } from './device-filter.ts';
import type { ParsedFilter, SortKey } from './filter-text.ts';
import { type DeviceState, rankOf } from './state.ts';

/** The properties of a device by which a list is sorted. */
export interface Ordered {
  readonly id: string;
  readonly state: DeviceState;
  /** The `naturalKey` of its names. */
  readonly order: string;
  readonly method: string;
  readonly severity: string;
  readonly sinceMs: number;
  readonly tags: readonly string[];
  readonly locations: readonly string[];
  /** The master that explains why it is Down. */
  readonly downBecause: string | null;
  readonly lastCheck: { readonly at: string; readonly ms: number; readonly isGood: boolean } | null;
}

type Key = string | number | undefined;

const severities = ['critical', 'warning', 'info'];
const isSymptom = ({ downBecause }: Ordered) => Number(downBecause !== null);
const ofText = (text: string | undefined): Key => (text === '' ? undefined : text);
const perMinute = 60;

/** `30s` and `5min` in seconds. */
const secondsOf = (frequency: string | undefined): Key =>
  frequency === undefined
    ? undefined
    : Number.parseInt(frequency, 10) * (frequency.endsWith('min') ? perMinute : 1);

const keys: Readonly<
  Record<Exclude<SortKey, 'worst'>, (row: Ordered, settings: FilterableSettings | undefined) => Key>
> = {
  name: ({ order }) => order,
  // The newest change first.
  since: ({ sinceMs }) => -sinceMs,
  method: ({ method }) => method,
  // The slowest first.
  last: ({ lastCheck }) => (lastCheck?.isGood === true && lastCheck.ms > 0 ? -lastCheck.ms : undefined),
  checked: ({ lastCheck }) => (lastCheck === null ? undefined : -Date.parse(lastCheck.at)),
  location: ({ locations }) => locations[0]?.toLowerCase(),
  tag: ({ tags }) => tags[0]?.toLowerCase(),
  severity: ({ severity }) => severities.indexOf(severity),
  url: (_, settings) => ofText(settings?.url),
  master: (_, settings) => settings?.master[0],
  schedule: (_, settings) => settings?.schedule[0],
  source: (_, settings) => ofText(settings?.source),
  frequency: (_, settings) => secondsOf(settings?.frequency),
};

const compareKeys = (a: Key, b: Key) => (a === b || a === undefined || b === undefined ? 0 : a < b ? -1 : 1);

/** Sorts a list. Rows without a value come last, in both directions; equal ones are in the order of their names. */
export function sortRows<Row extends Ordered>(
  rows: readonly Row[],
  { by, isReverse }: ParsedFilter['sort'],
  settings?: ReadonlyMap<string, FilterableSettings>,
): readonly Row[] {
  const byName = (a: Row, b: Row) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0);
  const sign = isReverse ? -1 : 1;
  if (by === 'worst')
    return rows.toSorted(
      (a, b) => sign * (rankOf(a.state) - rankOf(b.state) || isSymptom(a) - isSymptom(b)) || byName(a, b),
    );
  // The key of each row is computed once: a comparison of 10,000 rows runs 130,000 times.
  return rows
    .map((row) => ({ row, key: keys[by](row, settings?.get(row.id)) }))
    .sort(
      (a, b) =>
        Number(a.key === undefined) - Number(b.key === undefined) ||
        sign * compareKeys(a.key, b.key) ||
        byName(a.row, b.row),
    )
    .map(({ row }) => row);
}
