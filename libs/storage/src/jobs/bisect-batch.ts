import { dbFailure } from '../pool/pg-error.ts';

/** An item for which the work failed, and the error. */
export interface FailedItem<T> {
  readonly item: T;
  readonly error: unknown;
}

/**
 * Runs `work` for all items together, in one statement or transaction. When the data of an item makes it fail, each
 * half is tried separately, and so on, until every failing item is isolated. Returns the failing items. Rejects when
 * the database is unreachable or overloaded, because the same work may succeed later.
 */
export async function bisectBatch<T>(
  items: readonly T[],
  work: (batch: readonly T[]) => Promise<unknown>,
): Promise<FailedItem<T>[]> {
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
  const failed = await bisectBatch(items.slice(0, middle), work);
  return [...failed, ...(await bisectBatch(items.slice(middle), work))];
}
