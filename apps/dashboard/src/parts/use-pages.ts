import { useState } from 'preact/hooks';
import { withNewerPage } from '../model/newer-page.ts';
import { type ReadResult, useRead } from './use-read.ts';

/** A page of a list, newest first, and whether older rows follow. */
export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly hasMore: boolean;
}

interface Older<Row> {
  readonly key: string;
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** A list that is read page by page. `<ReadState>` shows the state of `first`. */
export interface PagedList<Row> {
  /** The read of the first page. */
  readonly first: ReadResult<unknown>;
  /** The rows so far; undefined: none was read yet. */
  readonly rows: readonly Row[] | undefined;
  readonly hasMore: boolean;
  readonly loadOlder: () => void;
  /** Why older rows could not be read. */
  readonly olderProblem: unknown;
}

/**
 * Reads the first page of a list, again whenever a trigger changes, and older pages on demand. `key` says which list
 * it is: rows of another one are never shown.
 */
export function usePages<Row>(
  read: (before: string | undefined) => Promise<ListPage<Row>>,
  {
    key,
    idOf,
    triggers = [],
  }: {
    readonly key: string;
    readonly idOf: (row: Row) => string;
    readonly triggers?: readonly unknown[];
  },
): PagedList<Row> {
  const newest = useRead(async () => ({ key, ...(await read(undefined)) }), [key], triggers);
  const [older, setOlder] = useState<Older<Row>>();
  const [olderProblem, setProblem] = useState<unknown>();
  const page = newest.data?.key === key ? newest.data : undefined;
  const known = older?.key === key ? older : undefined;
  const rows = page && (known === undefined ? page.data : withNewerPage(page.data, known.rows, idOf));
  const isLonger = page !== undefined && rows !== undefined && rows.length > page.data.length;
  const hasMore = isLonger ? known?.hasMore === true : page?.hasMore === true;
  const loadOlder = () => {
    if (rows === undefined) return;
    setProblem(undefined);
    const last = rows.at(-1);
    read(last === undefined ? undefined : idOf(last)).then(
      ({ data, hasMore: isMore }) => setOlder({ key, rows: [...rows, ...data], hasMore: isMore }),
      setProblem,
    );
  };
  return { first: { ...newest, data: page }, rows, hasMore, loadOlder, olderProblem };
}
