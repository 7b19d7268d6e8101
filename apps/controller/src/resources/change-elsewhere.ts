import type { Session } from '@vantage/rest-kit/session';
import type { Db } from '@vantage/storage';
import type { Catalog, Change } from './change.ts';
import { actorOf } from './change.ts';

/**
 * Does work of another step and records what it changed, both in one transaction that holds the account's lock. `work`
 * returns undefined where nothing changed; then nothing is recorded.
 */
export function changeElsewhere(
  db: Db,
  catalog: Catalog,
  session: Session,
  work: (db: Db) => Promise<Omit<Change, 'accountNo'> | undefined>,
): Promise<void> {
  const { accountNo } = session;
  return db.inTransaction(async (open) => {
    await catalog.lockAccount(open, session);
    const change = await work(open);
    if (change === undefined) return;
    await catalog.change(open, actorOf(session), async (transaction) =>
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
