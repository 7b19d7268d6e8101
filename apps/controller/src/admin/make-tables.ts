import { createLog } from '@vantage/kernel';
import { createDb } from '@vantage/storage';
import { requireSupportedServer } from '@vantage/storage/require-server';

/** Creates the tables in an empty database by the migrations up to `last`, by default all of this version. */
export async function makeTables(url: string, last?: string): Promise<void> {
  const db = await createDb({ connection: { url }, log: createLog('admin', 'silent'), poolSize: 2 });
  try {
    await requireSupportedServer(db.kysely);
    await db.migrate(last);
  } finally {
    await db.close();
  }
}
