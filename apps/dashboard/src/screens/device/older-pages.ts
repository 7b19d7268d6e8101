import { useState } from 'preact/hooks';
import { useRead } from '../../parts/use-read.ts';

/** A page of a list, newest first, and whether older rows follow. */
export interface OlderPage<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** A list that begins with its newest page; older pages are read by a button. */
export function useOlderPages<Row>(
  readPage: (before: Row | undefined) => Promise<OlderPage<Row>>,
  keys: readonly unknown[],
  triggers: readonly unknown[] = [],
) {
  const [pages, setPages] = useState(1);
  const read = useRead(
    async () => {
      const rows: Row[] = [];
      let hasMore = true;
      for (let page = 0; page < pages && hasMore; page += 1) {
        const found = await readPage(rows.at(-1));
        rows.push(...found.rows);
        hasMore = found.hasMore;
      }
      return { rows, hasMore };
    },
    keys,
    [pages, ...triggers],
  );
  return {
    read,
    rows: read.data?.rows ?? [],
    hasMore: read.data?.hasMore ?? false,
    more: () => setPages(pages + 1),
  };
}
