import { dbFailure } from './pg-error.ts';

/** An item that cannot be worked on, and why. */
export interface Refused<T> {
  readonly item: T;
  readonly error: unknown;
}

/**
 * Does `work` for all items at once, in one statement or transaction. Where that fails for what the items hold, it is done for each half, until
 * those that fail stand alone; they are returned. Rejects when the database is away or overloaded: the same later may pass.
 */
export async function doEach<T>(
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
  const refused = await doEach(items.slice(0, middle), work);
  return [...refused, ...(await doEach(items.slice(middle), work))];
}
