import { createLog } from '@vantage/kernel';
import { createDb } from '../platform/db/index.ts';
import { requireSupportedServer } from '../platform/db/server.ts';

/**
 * Creates the tables in an empty database as a version of Vantage has them that knows the migrations up to this one;
 * without `last`, as this version has them.
 */
export async function makeTables(url: string, last?: string): Promise<void> {
  const db = await createDb({ connection: { url }, log: createLog('admin', 'silent'), poolSize: 2 });
  try {
    await requireSupportedServer(db.kysely);
    await db.migrate(last);
  } finally {
    await db.close();
  }
}
