import { rankOf, type State, states } from './state.ts';

/** The properties of a row that the filter of devices can name. */
export interface Filterable {
  readonly state: State;
  readonly id: string;
  readonly name: string;
  /** Its names in small letters. */
  readonly words: string;
  readonly method: string;
  readonly tags: readonly string[];
  readonly locations: readonly string[];
  readonly sinceMs: number;
}

/** A filter as its text says it. */
export interface DeviceFilter {
  readonly states: readonly State[];
  readonly tags: readonly string[];
  readonly methods: readonly string[];
  readonly locations: readonly string[];
  readonly words: readonly string[];
  readonly sort: 'worst' | 'name' | 'since';
  /** Words with a colon that no field of the filter has. */
  readonly unknown: readonly string[];
}

const fields = ['status', 'tag', 'method', 'location', 'sort'] as const;
const sorts = ['worst', 'name', 'since'] as const;

/** Reads a filter: `status:down tag:berlin/* method:ping sort:name "text"`. Quotes hold blanks together. */
export function parseFilter(text: string): DeviceFilter {
  const found: Record<(typeof fields)[number], string[]> = {
    status: [],
    tag: [],
    method: [],
    location: [],
    sort: [],
  };
  const words: string[] = [];
  const unknown: string[] = [];
  for (const [, name, quoted, bare = ''] of text.matchAll(/(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))/gi)) {
    const value = (quoted ?? bare).toLowerCase();
    const field = fields.find((each) => each === name?.toLowerCase());
    if (field !== undefined) found[field].push(value);
    else if (name === undefined) words.push(value);
    else if (/^(\/\/|\d)/.test(value)) words.push(`${name}:${value}`.toLowerCase());
    else unknown.push(`${name}:`);
  }
  const wanted = states.filter((state) => found.status.includes(state.toLowerCase()));
  unknown.push(...found.status.filter((value) => !states.some((state) => state.toLowerCase() === value)));
  return {
    states: wanted,
    tags: found.tag,
    methods: found.method,
    locations: found.location,
    words: words.filter((word) => word !== ''),
    sort: sorts.find((each) => found.sort.includes(each)) ?? 'worst',
    unknown,
  };
}

/** Devices that have a word in their URL: the API found them, because lists hold no URLs. */
export interface FoundByUrl {
  readonly word: string;
  readonly ids: ReadonlySet<string>;
}

/** Whether a device is one of those for which the filter asks. A tag with `/*` at its end asks for the whole branch. */
export function fits(filter: DeviceFilter, row: Filterable, byUrl?: FoundByUrl): boolean {
  return (
    (filter.states.length === 0 || filter.states.includes(row.state)) &&
    (filter.methods.length === 0 || filter.methods.includes(row.method.toLowerCase())) &&
    filter.tags.every((tag) => row.tags.some((each) => fitsTag(tag, each.toLowerCase()))) &&
    filter.locations.every((place) => row.locations.some((each) => each.toLowerCase() === place)) &&
    filter.words.every((word) => row.words.includes(word) || (byUrl?.word === word && byUrl.ids.has(row.id)))
  );
}

function fitsTag(wanted: string, tag: string): boolean {
  if (!wanted.endsWith('/*')) return wanted === tag;
  const branch = wanted.slice(0, -2);
  return tag === branch || tag.startsWith(`${branch}/`);
}

interface Ordered extends Filterable {
  /** Its names as `naturalKey` has them. */
  readonly order: string;
  /** The master that explains why it is Down. */
  readonly downBecause: string | null;
}

/** The order in which a filter shows its rows: the worst first, and causes before what is behind them. */
export function compareBy(sort: DeviceFilter['sort']): (a: Ordered, b: Ordered) => number {
  const byName = (a: Ordered, b: Ordered) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0);
  if (sort === 'name') return byName;
  if (sort === 'since') return (a, b) => b.sinceMs - a.sinceMs || byName(a, b);
  const isSymptom = ({ downBecause }: Ordered) => Number(downBecause !== null);
  return (a, b) => rankOf(a.state) - rankOf(b.state) || isSymptom(a) - isSymptom(b) || byName(a, b);
}

/** The filter's text with one field set to a value, or without it. */
export function withField(text: string, field: (typeof fields)[number], value: string | undefined): string {
  const rest = text.replaceAll(new RegExp(`(^|\\s)${field}:("[^"]*"?|\\S*)`, 'gi'), ' ').trim();
  if (value === undefined) return rest;
  const quoted = /\s/.test(value) ? `"${value}"` : value;
  return `${field}:${quoted} ${rest}`.replaceAll(/\s+/g, ' ').trim();
}
