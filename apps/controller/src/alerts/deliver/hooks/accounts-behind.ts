import { type Clock, declareState } from '@vantage/kernel';
import type { Db } from '../../../platform/db/index.ts';
import { createFollowers } from '../followers.ts';
import type { EventSource } from './event-source.ts';
import { accountsBehind, accountsWithHooks } from './hook-store.ts';

/** The accounts whose hooks may have events to send. */
export interface AccountsBehind extends Disposable {
  /** Those accounts now, and the number up to which events are readable. */
  look(): Promise<{ readonly accountNos: readonly number[]; readonly upToNo: number }>;
  /** Forgets those whose hooks have all events up to that number. */
  forgetDone(seen: { readonly accountNos: readonly number[]; readonly upToNo: number }): Promise<void>;
}

const tracked = declareState({
  name: 'accounts_behind',
  entries: { each: 'account with hooks' },
  entryBytes: 100,
  filledBy: 'accounts',
  atBound: 'the limit of accounts',
});

/**
 * Follows the accounts that have hooks, so that nothing is leased and written for a hook while nothing happens in its
 * account.
 */
export function createAccountsBehind({
  db,
  clock,
  events,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly events: Pick<EventSource, 'follow' | 'accountsBetween'>;
}): AccountsBehind {
  const followed = createFollowers(
    clock,
    () => accountsWithHooks(db.kysely),
    (accountNo) => events.follow(accountNo),
  );
  /** Of each followed account whether it may be behind. */
  const isBehind = tracked(new Map<number, boolean>());
  let lookedTo: number | undefined;
  return {
    async look() {
      const followers = await followed.current();
      for (const accountNo of isBehind.keys()) if (!followers.has(accountNo)) isBehind.delete(accountNo);
      if (followers.size === 0) {
        lookedTo = undefined;
        return { accountNos: [], upToNo: 0 };
      }
      const upToNo = Math.max(...[...followers.values()].map(({ upTo }) => upTo));
      const fresh =
        lookedTo === undefined || lookedTo >= upToNo
          ? undefined
          : await events.accountsBetween(lookedTo, upToNo);
      for (const accountNo of followers.keys())
        if (!isBehind.has(accountNo) || fresh?.has(accountNo)) isBehind.set(accountNo, true);
      lookedTo = upToNo;
      return { accountNos: [...isBehind].filter(([, is]) => is).map(([accountNo]) => accountNo), upToNo };
    },
    async forgetDone(seen) {
      const still = new Set(await accountsBehind(db.kysely, seen));
      for (const accountNo of seen.accountNos) if (!still.has(accountNo)) isBehind.set(accountNo, false);
    },
    [Symbol.dispose]: () => followed[Symbol.dispose](),
  };
}
