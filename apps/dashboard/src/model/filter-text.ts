/** The fields of a filter. */
export const filterFields = [
  'status',
  'tag',
  'method',
  'location',
  'severity',
  'enabled',
  'retrying',
  'master',
  'schedule',
  'source',
  'key',
  'url',
  'frequency',
] as const;

export type FilterField = (typeof filterFields)[number];

/** Fields of which a device has one value: repeated, they mean one or the other. */
export const singleFields = ['status', 'method', 'severity', 'enabled', 'retrying'] as const;

/** The sort keys of a list. `worst`: the worst state first, and causes before the devices behind them. */
const sortKeys = [
  'worst',
  'name',
  'since',
  'method',
  'last',
  'checked',
  'location',
  'tag',
  'severity',
  'url',
  'master',
  'schedule',
  'source',
  'frequency',
] as const;

export type SortKey = (typeof sortKeys)[number];

/** A term of a filter: one of `values` of the field, or without a field all of them in a name or URL. */
export interface FilterTerm {
  readonly field: FilterField | undefined;
  /** In lower case. */
  readonly values: readonly string[];
  readonly isNot: boolean;
}

/** The text of a filter, parsed. */
export interface ParsedFilter {
  /** Each clause must hold; one of its terms suffices. */
  readonly clauses: readonly (readonly FilterTerm[])[];
  /** The words that must be in a name or in the URL. */
  readonly words: readonly string[];
  readonly sort: { readonly by: SortKey; readonly isReverse: boolean };
  /** Fields and values that do not exist. */
  readonly unknown: readonly string[];
}

/** The field of a name, in any letter case. */
export const fieldOf = (name: string): FilterField | undefined =>
  filterFields.find((field) => field === name.toLowerCase());

const closedValues: Readonly<Partial<Record<FilterField, readonly string[]>>> = {
  status: ['down', 'retrying', 'partial', 'unknown', 'maint', 'paused', 'up'],
  severity: ['critical', 'warning', 'info'],
  enabled: ['yes', 'no'],
  retrying: ['yes', 'no'],
};

/** The values of a field that has a closed list. */
export const closedValuesOf = (field: string): readonly string[] =>
  closedValues[fieldOf(field) ?? 'url'] ?? [];

interface Part {
  /** The text as it was written. */
  readonly text: string;
  readonly sign: string;
  readonly name: string | undefined;
  readonly value: string;
  readonly isQuoted: boolean;
}

function partsOf(text: string): readonly Part[] {
  const found = text.matchAll(/(-?)(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))|(-?)([a-z]+):(?=\s|$)/gi);
  return [...found].map(([whole, sign = '', name, quoted, bare = '', lonelySign = '', lonely]) => ({
    text: whole,
    sign: sign || lonelySign,
    name: name ?? lonely,
    value: (quoted ?? bare).toLowerCase(),
    isQuoted: quoted !== undefined,
  }));
}

const isAddress = ({ value }: Part) => /^(\/\/|\d)/.test(value);

/**
 * Parses a filter. `status:down tag:berlin/* "text"`: all must hold. `status:down,unknown` and `a OR b`: one of them.
 * `-tag:lab`: not. Quotes protect blanks.
 */
export function parseFilter(text: string): ParsedFilter {
  const clauses: FilterTerm[][] = [];
  const unknown: string[] = [];
  let sort: ParsedFilter['sort'] = { by: 'worst', isReverse: false };
  let isAlternative = false;
  const add = (term: FilterTerm) => {
    const last = clauses.at(-1);
    if (isAlternative && last !== undefined) last.push(term);
    else clauses.push([term]);
    isAlternative = false;
  };
  for (const part of partsOf(text)) {
    const { name, value } = part;
    const field = name === undefined ? undefined : fieldOf(name);
    const isNot = part.sign === '-';
    if (part.text === 'OR') isAlternative = clauses.length > 0;
    else if (field !== undefined) {
      const values = value.split(',').filter((each) => each !== '');
      if (values.length > 0) add({ field, values, isNot });
      const closed = closedValues[field];
      if (closed !== undefined) unknown.push(...values.filter((each) => !closed.includes(each)));
    } else if (name?.toLowerCase() === 'sort') {
      const isReverse = value.startsWith('-');
      const by = sortKeys.find((key) => key === value.replace('-', ''));
      if (by === undefined) unknown.push(`sort:${value}`);
      else sort = { by, isReverse };
    } else if (name === undefined || isAddress(part)) {
      const word = `${name === undefined ? '' : `${name}:`}${value}`.toLowerCase();
      if (word !== '') add({ field: undefined, values: [word], isNot });
    } else unknown.push(`${name}:`);
  }
  const joined = joinSingle(clauses);
  const words = joined.flatMap(([term, ...others]) =>
    term?.field === undefined && others.length === 0 && term?.isNot === false ? term.values : [],
  );
  return { clauses: joined, words, sort, unknown };
}

/** A device has one status: `status:down status:unknown` means one of them. */
function joinSingle(clauses: readonly (readonly FilterTerm[])[]): readonly (readonly FilterTerm[])[] {
  const joined: FilterTerm[][] = [];
  const at = new Map<string, number>();
  for (const terms of clauses) {
    const [term] = terms;
    const field = term?.field;
    const isSingle =
      terms.length === 1 && term?.isNot === false && singleFields.some((single) => single === field);
    const known = isSingle && field !== undefined ? at.get(field) : undefined;
    if (known !== undefined) joined[known]?.push(...terms);
    else {
      if (isSingle && field !== undefined) at.set(field, joined.length);
      joined.push([...terms]);
    }
  }
  return joined.map((terms) => {
    const [first] = terms;
    const isOneField =
      first !== undefined && terms.every(({ field, isNot }) => field === first.field && !isNot);
    return terms.length > 1 && isOneField && first.field !== undefined
      ? [{ ...first, values: terms.flatMap(({ values }) => values) }]
      : terms;
  });
}

/** The filter's text with one field set to a value, or without it. Terms with NOT, and terms beside an OR, stay. */
export function withField(text: string, field: FilterField | 'sort', value: string | undefined): string {
  const parts = partsOf(text);
  const rest = parts.filter(({ name, sign }, at) => {
    const isBesideOr = parts[at - 1]?.text === 'OR' || parts[at + 1]?.text === 'OR';
    return sign === '-' || isBesideOr || name?.toLowerCase() !== field;
  });
  const before = value === undefined ? [] : [`${field}:${/\s/.test(value) ? `"${value}"` : value}`];
  return [...before, ...rest.map((part) => part.text)].join(' ');
}

/** A part of the filter as a chip: its words, and the filter without it. */
export interface FilterChip {
  readonly part: string;
  readonly without: string;
}

/** The parts of a filter that can be removed one by one. An OR and its operands are one part. */
export function chipsOf(text: string): readonly FilterChip[] {
  const groups: string[][] = [];
  let isAlternative = false;
  for (const part of partsOf(text)) {
    const last = groups.at(-1);
    if (part.text === 'OR' && last !== undefined) {
      last.push('OR');
      isAlternative = true;
    } else if (isAlternative && last !== undefined) {
      last.push(part.text);
      isAlternative = false;
    } else groups.push([part.text]);
  }
  return groups.map((group, at) => ({
    part: group.join(' '),
    without: groups
      .filter((_, other) => other !== at)
      .map((other) => other.join(' '))
      .join(' '),
  }));
}
