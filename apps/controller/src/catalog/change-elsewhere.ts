import type { Db } from '../platform/db/index.ts';
import type { Session } from '../rest/http/session.ts';
import type { Catalog, Change } from './change.ts';
import { actorOf } from './change.ts';

/**
 * Does work of another step and records what it changed, both in one transaction that holds the account's lock. `work`
 * returns undefined where nothing changed; then nothing is recorded.
 */
export function changeElsewhere(
  { db, catalog }: { readonly db: Pick<Db, 'inTransaction'>; readonly catalog: Catalog },
  session: Session,
  work: () => Promise<Omit<Change, 'accountNo'> | undefined>,
): Promise<void> {
  const { accountNo } = session;
  return db.inTransaction(async () => {
    await catalog.lockAccount(session);
    const change = await work();
    if (change === undefined) return;
    await catalog.change(actorOf(session), async (transaction) =>
      transaction.record({ ...change, accountNo }),
    );
  });
}

/** Devices handled at the same moment. */
const atOnce = 4;

/** Does something with each of these devices, four at a time. */
export async function eachDevice(
  deviceNos: readonly number[],
  act: (deviceNo: number) => Promise<unknown>,
): Promise<void> {
  const waiting = [...deviceNos];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
