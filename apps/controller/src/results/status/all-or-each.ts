import { type Logger, messageOf } from '@vantage/kernel';
import { bisectBatch, dbFailure, type FailedItem, quarantine, type Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';

/**
 * Runs a job for all items in one statement. If the database refuses the data of an item, the job runs item by item,
 * and an item that is refused again is quarantined with the reason. Rejects when the database is unreachable.
 */
export async function allOrEach<T>(
  db: Kysely<Tables>,
  work: {
    readonly all: () => Promise<readonly T[]>;
    readonly items: () => Promise<readonly number[]>;
    readonly one: (item: number) => Promise<readonly T[]>;
  },
  named: { readonly job: string; readonly item: string; readonly nowUs: number; readonly log: Logger },
): Promise<T[]> {
  try {
    return [...(await work.all())];
  } catch (error) {
    if (dbFailure(error) === 'retry') throw error;
    named.log.debug({ job: named.job, error: messageOf(error) }, 'a job continues item by item');
  }
  const results: T[] = [];
  const refused: FailedItem<string>[] = [];
  for (const item of await work.items()) {
    const failed = await bisectBatch([item], async () => {
      results.push(...(await work.one(item)));
    });
    refused.push(...failed.map(({ error }) => ({ item: `${named.item} ${item}`, error })));
  }
  await quarantine(db, refused, named);
  return results;
}
