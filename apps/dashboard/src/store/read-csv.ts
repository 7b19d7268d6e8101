import { ApiProblem, send } from './api.ts';

const pageSize = 100;
/** More rows would take minutes. */
const maxCsvRows = 10_000;

/** The path of a list that is paged by `Before`. */
export type CsvList = 'alerts' | 'events' | 'outages' | `devices/${string}/${'checks' | 'outages'}`;

/** A list of the API as CSV with one header. */
export interface CsvFile {
  readonly text: string;
  readonly rows: number;
  /** Whether the list has more rows. */
  readonly isCut: boolean;
}

/** Reads a list of the API, newest first, page by page as CSV. `onPage` gets the number of rows so far. */
export async function readCsvOf(
  list: CsvList,
  query: Readonly<Record<string, string>>,
  onPage: (rows: number) => void = () => {},
): Promise<CsvFile> {
  let text = '';
  let rows = 0;
  for (let before: string | undefined; rows < maxCsvRows; ) {
    const all = new URLSearchParams({ ...query, fmt: 'csv', Limit: `${pageSize}` });
    if (before !== undefined) all.set('Before', before);
    const answer = await send(new Request(`${location.origin}/v1.1/${list}?${all}`));
    const page = await answer.text();
    if (!answer.ok) throw new ApiProblem(answer.status, page.slice(0, 200));
    text += text === '' ? page : page.slice(page.indexOf('\r\n') + 2);
    before = cursorIn(answer.headers.get('Link'));
    rows += before === undefined ? rowsOf(page) : pageSize;
    onPage(rows);
    if (before === undefined) return { text, rows, isCut: false };
  }
  return { text, rows, isCut: true };
}

/** The cursor of the next page in the header `Link`; undefined: there is none. */
function cursorIn(link: string | null): string | undefined {
  const target = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return target === undefined
    ? undefined
    : (new URL(target, location.origin).searchParams.get('Before') ?? undefined);
}

/** The number of rows of a CSV without its header. A quoted value may have line ends of its own. */
function rowsOf(page: string): number {
  const lines = page.replace(/"(?:[^"]|"")*"/g, '').split('\r\n');
  return lines.filter((line) => line !== '').length - 1;
}
