import { type Filterable, type FilterFacts, fits } from './device-filter.ts';
import type { FilterTerm, ParsedFilter } from './filter-text.ts';

const isWord = (term: FilterTerm | undefined): term is FilterTerm =>
  term !== undefined && term.field === undefined && !term.isNot;

const isSameTerm = (a: FilterTerm, b: FilterTerm | undefined) =>
  b !== undefined &&
  a.field === b.field &&
  a.isNot === b.isNot &&
  a.values.join('\n') === b.values.join('\n');

/** Whether each row that fits the clause `next` fits `before`: both are equal, or a word that got more letters. */
function isNarrower(
  before: readonly FilterTerm[],
  next: readonly FilterTerm[],
  { byUrl }: FilterFacts,
): boolean {
  if (before.length === next.length && before.every((term, at) => isSameTerm(term, next[at]))) return true;
  const [word, ...others] = before;
  const [longer, ...more] = next;
  if (others.length > 0 || more.length > 0 || !isWord(word) || !isWord(longer)) return false;
  const [short = '', long = ''] = [word.values[0], longer.values[0]];
  // A device with the longer word in its URL need not have the shorter one in its names.
  return (
    word.values.length === 1 && longer.values.length === 1 && long.includes(short) && byUrl?.word !== long
  );
}

/** Whether each row that fits `next` fits `before`, too, by the same facts. False: it may not. Pure. */
export function narrows(before: ParsedFilter, next: ParsedFilter, facts: FilterFacts = {}): boolean {
  return (
    next.clauses.length >= before.clauses.length &&
    before.clauses.every((clause, at) => isNarrower(clause, next.clauses[at] ?? [], facts))
  );
}

/** Finds the rows that fit a filter. */
export interface NarrowedSearch<Row> {
  readonly find: (rows: readonly Row[], filter: ParsedFilter, facts: FilterFacts) => readonly Row[];
  /** The number of rows that were compared so far. */
  readonly compared: number;
}

/**
 * A search that remembers its last answer: a further letter compares only the rows that were found before it. The
 * answer is the same array as before, if it has the same rows.
 */
export function createNarrowedSearch<Row extends Filterable>(): NarrowedSearch<Row> {
  let compared = 0;
  let last:
    | {
        readonly rows: readonly Row[];
        readonly filter: ParsedFilter;
        readonly facts: FilterFacts;
        readonly found: readonly Row[];
      }
    | undefined;
  return {
    find(rows, filter, facts) {
      const isSame =
        last !== undefined &&
        last.rows === rows &&
        last.facts.byUrl === facts.byUrl &&
        last.facts.settings === facts.settings;
      const before =
        isSame && last !== undefined && narrows(last.filter, filter, facts) ? last.found : undefined;
      const among = before ?? rows;
      compared += among.length;
      const fitting = among.filter((row) => fits(filter, row, facts));
      const found = before !== undefined && fitting.length === before.length ? before : fitting;
      last = { rows, filter, facts, found };
      return found;
    },
    get compared() {
      return compared;
    },
  };
}
