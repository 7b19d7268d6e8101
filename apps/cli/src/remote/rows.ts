import type { Json } from '@vantage/domain';
import { Fault } from '@vantage/kernel';
import type { Connection } from './connection.ts';
import type { Resource } from './resources.ts';

/** A thing as the API shows it. */
export type Row = Readonly<Record<string, Json>>;

const pageSize = 100;
/** A list that is longer is cut, and says so. */
const mostRows = 100_000;

/** Reads a list, page by page where it has pages. `query` narrows it; `most` cuts it. */
export async function* readRows(
  connection: Connection,
  { path, id, page }: Pick<Resource, 'path' | 'id' | 'page'>,
  query: Readonly<Record<string, string>> = {},
  most = mostRows,
): AsyncGenerator<Row, void, undefined> {
  let cursor: Readonly<Record<string, string>> = {};
  for (let count = 0; count < most; ) {
    const limit: Record<string, string> =
      page === undefined ? {} : { Limit: String(Math.min(pageSize, most - count)) };
    const answer = await connection.call({ method: 'GET', path, query: { ...query, ...limit, ...cursor } });
    const rows = rowsOf(await answer.json());
    for (const row of rows.slice(0, most - count)) yield row;
    count += rows.length;
    const last = rows.at(-1)?.[id];
    if (page === undefined || rows.length < pageSize || typeof last !== 'string') return;
    cursor = page === 'after' ? { After: last } : { Before: last };
  }
}

function rowsOf(body: unknown): readonly Row[] {
  if (!Array.isArray(body)) throw new Fault('stop', 'refused', 'the answer is no list');
  return body as readonly Row[];
}
