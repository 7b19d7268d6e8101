import type { Json } from '@vantage/domain';
import { Fault } from '@vantage/kernel';
import type { ApiConnection } from './api-connection.ts';
import type { ApiResource } from './api-resources.ts';

/** A resource as the API shows it. */
export type ApiRow = Readonly<Record<string, Json>>;

const pageSize = 100;
const maxListRows = 100_000;

/** Reads a list page by page. A list without pages is one request. */
export async function* readRows(
  connection: ApiConnection,
  { path, id, page }: Pick<ApiResource, 'path' | 'id' | 'page'>,
  query: Readonly<Record<string, string>> = {},
  maxRows = maxListRows,
): AsyncGenerator<ApiRow, void, undefined> {
  let cursor: Readonly<Record<string, string>> = {};
  for (let count = 0; count < maxRows; ) {
    const limit: Record<string, string> =
      page === undefined ? {} : { Limit: String(Math.min(pageSize, maxRows - count)) };
    const answer = await connection.call({ method: 'GET', path, query: { ...query, ...limit, ...cursor } });
    const rows = rowsOf(await answer.json());
    for (const row of rows.slice(0, maxRows - count)) yield row;
    count += rows.length;
    const last = rows.at(-1)?.[id];
    if (page === undefined || rows.length < pageSize || typeof last !== 'string') return;
    cursor = page === 'after' ? { After: last } : { Before: last };
  }
}

function rowsOf(body: unknown): readonly ApiRow[] {
  if (!Array.isArray(body)) throw new Fault('stop', 'refused', 'the answer is not a list');
  return body as readonly ApiRow[];
}
