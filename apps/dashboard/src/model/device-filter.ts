import { rankOf, type State, states } from './state.ts';

/** What the filter of devices can ask of a row. */
export interface Filterable {
  readonly state: State;
  readonly name: string;
  readonly shortName: string;
  readonly url: string;
  readonly method: string;
  readonly tags: readonly string[];
  readonly sinceMs: number;
}

/** A filter as its text says it. */
export interface DeviceFilter {
  readonly states: readonly State[];
  readonly tags: readonly string[];
  readonly methods: readonly string[];
  readonly words: readonly string[];
  readonly sort: 'worst' | 'name' | 'since';
  /** Words with a colon that no field of the filter has. */
  readonly unknown: readonly string[];
}

const fields = ['status', 'tag', 'method', 'sort'] as const;
const sorts = ['worst', 'name', 'since'] as const;

/** Reads a filter: `status:down tag:berlin/* method:ping sort:name "text"`. Quotes hold blanks together. */
export function parseFilter(text: string): DeviceFilter {
  const found: Record<(typeof fields)[number], string[]> = {
    status: [],
    tag: [],
    method: [],
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
    words: words.filter((word) => word !== ''),
    sort: sorts.find((each) => found.sort.includes(each)) ?? 'worst',
    unknown,
  };
}

/** Whether a device is one of those for which the filter asks. A tag with `/*` at its end asks for the whole branch. */
export function fits(filter: DeviceFilter, row: Filterable): boolean {
  const isOneOf = (wanted: readonly string[], value: string) =>
    wanted.length === 0 || wanted.includes(value.toLowerCase());
  return (
    (filter.states.length === 0 || filter.states.includes(row.state)) &&
    isOneOf(filter.methods, row.method) &&
    filter.tags.every((tag) => row.tags.some((each) => fitsTag(tag, each.toLowerCase()))) &&
    filter.words.every((word) => holdsWord(row, word))
  );
}

function fitsTag(wanted: string, tag: string): boolean {
  if (!wanted.endsWith('/*')) return wanted === tag;
  const branch = wanted.slice(0, -2);
  return tag === branch || tag.startsWith(`${branch}/`);
}

function holdsWord({ name, shortName, url }: Filterable, word: string): boolean {
  return [name, shortName, url].some((text) => text.toLowerCase().includes(word));
}

/** The order in which a filter shows its rows. */
export function compareBy(sort: DeviceFilter['sort']): (a: Filterable, b: Filterable) => number {
  const byName = (a: Filterable, b: Filterable) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  if (sort === 'name') return byName;
  if (sort === 'since') return (a, b) => b.sinceMs - a.sinceMs || byName(a, b);
  return (a, b) => rankOf(a.state) - rankOf(b.state) || byName(a, b);
}

/** The filter's text with one field set to a value, or without it. */
export function withField(text: string, field: (typeof fields)[number], value: string | undefined): string {
  const rest = text.replaceAll(new RegExp(`(^|\\s)${field}:("[^"]*"?|\\S*)`, 'gi'), ' ').trim();
  if (value === undefined) return rest;
  const quoted = /\s/.test(value) ? `"${value}"` : value;
  return `${field}:${quoted} ${rest}`.replaceAll(/\s+/g, ' ').trim();
}
