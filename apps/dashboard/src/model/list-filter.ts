/** Whether a text is valid for a filter. */
export type FilterRule = (text: string) => boolean;

/** The filters of a list as in its address; '': not set. */
export type ListFilter<Name extends string> = Readonly<Record<Name, string>>;

/** A day in the account's zone: `2026-02-25`. */
export const isDay: FilterRule = (text) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00Z`));
/** A name that a person typed. */
export const isName: FilterRule = (text) => text.length <= 200;
/** An id of the API. */
export const isId = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{48}$/.test(value);
/** One of these words. */
export const isOneOf =
  (words: readonly string[]): FilterRule =>
  (text) =>
    words.includes(text);

/** Reads the filters from an address. An invalid value counts as absent. */
export function readListFilter<Name extends string>(
  rules: Readonly<Record<Name, FilterRule>>,
  query: URLSearchParams,
): ListFilter<Name> {
  const read = Object.entries<FilterRule>(rules).map(([name, isValid]) => {
    const text = query.get(name)?.trim() ?? '';
    return [name, isValid(text) ? text : ''] as const;
  });
  return Object.fromEntries(read) as ListFilter<Name>; // every name of `rules` is there
}

/** An address with these filters. */
export function filteredAddress(path: string, filter: Readonly<Record<string, string>>): string {
  const set = Object.entries(filter).filter(([, text]) => text !== '');
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}

/** The number of filters that are set. */
export const filterCount = (filter: Readonly<Record<string, string>>): number =>
  Object.values(filter).filter((text) => text !== '').length;

/** The time of the API for the first moment of a day, and for its last one. */
export const dayBegin = (day: string): string => `${day}T00:00:00`;
export const dayEnd = (day: string): string => `${day}T23:59:59`;
