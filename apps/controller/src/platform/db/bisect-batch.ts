import { dbFailure } from './pg-error.ts';

/** An item for which the work failed, and the error. */
export interface Refused<T> {
  readonly item: T;
  readonly error: unknown;
}

/**
 * Does `work` for all items at once, in one statement or transaction. When the data of an item makes that fail, each
 * half is tried by itself, and so on until every failing item stands alone. Returns those items. Rejects when the
 * database is unreachable or overloaded, because the same work may succeed later.
 */
export async function bisectBatch<T>(
  items: readonly T[],
  work: (some: readonly T[]) => Promise<unknown>,
): Promise<Refused<T>[]> {
  const [first] = items;
  if (first === undefined) return [];
  try {
    await work(items);
    return [];
  } catch (error) {
    if (dbFailure(error) === 'retry') throw error;
    if (items.length === 1) return [{ item: first, error }];
  }
  const middle = Math.ceil(items.length / 2);
  const refused = await bisectBatch(items.slice(0, middle), work);
  return [...refused, ...(await bisectBatch(items.slice(middle), work))];
}
