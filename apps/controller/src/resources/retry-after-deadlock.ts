import type { Db } from '@vantage/storage';
import { stateOf } from '@vantage/storage/pg-error';

const deadlock = '40P01';
const maxRepeats = 3;

/**
 * Runs a transaction, and again if PostgreSQL ended it because of a deadlock, up to three more times. A transaction
 * inside a longer one is not repeated: all of the longer one has failed.
 */
export async function retryAfterDeadlock<T>(
  db: Pick<Db, 'isInTransaction'>,
  transaction: () => Promise<T>,
): Promise<T> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (stateOf(error) !== deadlock || db.isInTransaction() || repeats === maxRepeats) throw error;
    }
  }
}
