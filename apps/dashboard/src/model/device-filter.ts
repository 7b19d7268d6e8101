import { type FilterTerm, fieldOf, type ParsedFilter, singleFields } from './filter-text.ts';
import type { DeviceState } from './state.ts';

/** The properties of a device that the filter compares. */
export interface Filterable {
  readonly state: DeviceState;
  readonly id: string;
  readonly name: string;
  /** Its names in lower case. */
  readonly words: string;
  readonly method: string;
  readonly severity: string;
  readonly isEnabled: boolean;
  readonly isRetrying: boolean;
  readonly tags: readonly string[];
  readonly locations: readonly string[];
}

/** The settings of a device that the filter compares, in lower case. Lists do not contain them. */
export interface FilterableSettings {
  readonly url: string;
  readonly source: string;
  readonly key: string;
  /** Names of its master; empty: none. */
  readonly master: readonly string[];
  /** Names of its notification schedule and its maintenance schedule. */
  readonly schedule: readonly string[];
  /** `30s` or `5min`. */
  readonly frequency: string;
}

/** Devices with a word in their URL. The API finds them, because lists do not contain URLs. */
export interface FoundByUrl {
  readonly word: string;
  readonly ids: ReadonlySet<string>;
}

/** The facts that the filter compares besides the row of a device. */
export interface FilterFacts {
  readonly byUrl?: FoundByUrl | undefined;
  /** By device; undefined: not read. Then no device matches a term that needs them. */
  readonly settings?: ReadonlyMap<string, FilterableSettings> | undefined;
}

/** Whether a device matches the filter: each clause has a term that holds. A tag `berlin/*` is the whole branch. */
export function fits(filter: ParsedFilter, row: Filterable, facts: FilterFacts = {}): boolean {
  return filter.clauses.every((terms) =>
    terms.some((term) => {
      const holds = holdsFor(term, row, facts);
      return holds !== undefined && holds !== term.isNot;
    }),
  );
}

/** undefined: it cannot be told yet. */
function holdsFor(term: FilterTerm, row: Filterable, { byUrl, settings }: FilterFacts): boolean | undefined {
  const { field, values } = term;
  // First, because each letter of a search compares thousands of rows.
  if (field === undefined)
    return values.every(
      (value) => row.words.includes(value) || (byUrl?.word === value && byUrl.ids.has(row.id)),
    );
  const is = (...found: readonly string[]) =>
    values.some((value) => (value === 'none' ? found.length === 0 : found.includes(value)));
  switch (field) {
    case 'status':
      return is(row.state.toLowerCase());
    case 'method':
      return is(row.method.toLowerCase());
    case 'severity':
      return is(row.severity);
    case 'enabled':
      return is(row.isEnabled ? 'yes' : 'no');
    case 'retrying':
      return is(row.isRetrying ? 'yes' : 'no');
    case 'location':
      return is(...row.locations.map((name) => name.toLowerCase()));
    case 'tag':
      return values.some((value) =>
        value === 'none' ? row.tags.length === 0 : row.tags.some((tag) => fitsTag(value, tag.toLowerCase())),
      );
    default: {
      const own = settings?.get(row.id);
      if (own === undefined) return undefined;
      if (field === 'url') return values.some((value) => own.url.includes(value));
      const found = own[field];
      return is(...(typeof found === 'string' ? (found === '' ? [] : [found]) : found));
    }
  }
}

function fitsTag(pattern: string, tag: string): boolean {
  if (!pattern.endsWith('/*')) return pattern === tag;
  const branch = pattern.slice(0, -2);
  return tag === branch || tag.startsWith(`${branch}/`);
}

const ofSettings: ReadonlySet<string> = new Set(['url', 'source', 'key', 'master', 'schedule', 'frequency']);

/** Whether the filter compares settings, which are read separately. */
export const needsSettings = ({ clauses }: ParsedFilter): boolean =>
  clauses.some((terms) => terms.some(({ field }) => field !== undefined && ofSettings.has(field)));

/** The values that must hold by a field: those of terms that stand alone. */
export const valuesOf = ({ clauses }: ParsedFilter, field: FilterTerm['field']): readonly string[] =>
  clauses.flatMap(([term, ...others]) =>
    term !== undefined && others.length === 0 && term.field === field && !term.isNot ? term.values : [],
  );

/** The one tag of a filter that consists of nothing else. */
export function onlyTag(filter: ParsedFilter): string | undefined {
  const [tag, ...others] = valuesOf(filter, 'tag');
  return filter.clauses.length === 1 && others.length === 0 && filter.unknown.length === 0 ? tag : undefined;
}

/** A suggestion while a filter is typed: the text to show, and the whole filter with it. */
export interface FilterSuggestion {
  readonly words: string;
  readonly text: string;
}

/** The known values of a field, in their spelling. */
export type KnownValues = (field: string) => readonly string[];

const maxSuggestions = 8;

/** Completes the last word of a filter: the name of a field, or one of its values. */
export function suggestionsFor(
  text: string,
  fields: readonly string[],
  knownValues: KnownValues,
): readonly FilterSuggestion[] {
  const [, before = '', sign = '', word = ''] =
    /^(.*?)(-?)((?:[a-z]+:)?(?:"[^"]*|[^\s"]*))$/is.exec(text) ?? [];
  const [, name, values = ''] = /^([a-z]+):(.*)$/is.exec(word) ?? [];
  const field = name === undefined ? undefined : fieldOf(name);
  if (field === undefined) {
    if (word === '' && text.trim() !== '') return [];
    return fields
      .filter((each) => each.startsWith(word.toLowerCase()))
      .slice(0, word === '' ? fields.length : maxSuggestions)
      .map((each) => ({ words: `${sign}${each}:`, text: `${before}${sign}${each}:` }));
  }
  const parts = values.replace(/^"/, '').split(',');
  const last = (parts.at(-1) ?? '').toLowerCase();
  const chosen = parts.slice(0, -1);
  return knownValues(field)
    .filter((value) => value.toLowerCase().includes(last) && value.toLowerCase() !== last)
    .sort((a, b) => Number(b.toLowerCase().startsWith(last)) - Number(a.toLowerCase().startsWith(last)))
    .slice(0, maxSuggestions)
    .map((value) => {
      const joined = [...chosen, value].join(',');
      const quoted = /\s/.test(joined) ? `"${joined}"` : joined;
      return { words: `${sign}${field}:${quoted}`, text: `${before}${sign}${field}:${quoted} ` };
    });
}

/** Values that no device can match: of fields with a closed list, and names that do not exist. */
export function unknownValues(
  { clauses }: ParsedFilter,
  knownValues: KnownValues,
): readonly { readonly field: string; readonly value: string }[] {
  const checked: readonly string[] = [...singleFields, 'tag', 'location', 'master', 'schedule', 'source'];
  return clauses.flat().flatMap(({ field, values }) => {
    if (field === undefined || !checked.includes(field)) return [];
    const known = new Set(knownValues(field).map((value) => value.toLowerCase()));
    if (known.size === 0) return [];
    const isKnown = (value: string) =>
      known.has(value) ||
      value === 'none' ||
      (field === 'tag' && value.endsWith('/*') && [...known].some((tag) => fitsTag(value, tag)));
    return values.filter((value) => !isKnown(value)).map((value) => ({ field, value }));
  });
}
