/**
 * The rows of a list, newest first, after its first page was read again: rows that are no longer on the first page
 * stay below it. If no row of the page is known, rows between both may be missing, so only the page is shown.
 */
export function withNewerPage<Row>(
  page: readonly Row[],
  known: readonly Row[],
  idOf: (row: Row) => string,
): readonly Row[] {
  const ids = new Set(page.map(idOf));
  const last = known.findLastIndex((row) => ids.has(idOf(row)));
  return last < 0 ? page : [...page, ...known.slice(last + 1)];
}
