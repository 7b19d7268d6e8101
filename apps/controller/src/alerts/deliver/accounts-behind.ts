import { type Clock, declareState } from '@vantage/kernel';
import type { EventSource } from './account-events.ts';
import { createFollowers } from './followers.ts';

/** Accounts that may have events to send, and the number up to which events are readable. */
interface AccountsUpTo {
  readonly accountNos: readonly number[];
  readonly upToNo: number;
}

/** The accounts that may have events to send. */
interface AccountsBehind extends Disposable {
  /** These accounts now; undefined: no account is followed. */
  read(): Promise<AccountsUpTo | undefined>;
  /** Forgets the accounts that have sent all events up to that number. */
  forgetDone(accounts: AccountsUpTo): Promise<void>;
}

const tracked = declareState({
  name: 'accounts_behind',
  entries: { each: 'account with hooks or subscribers of a status page' },
  entryBytes: 100,
  filledBy: 'accounts',
  atBound: 'the limit of accounts',
});

/** Follows the accounts of `readAccounts`, so that nothing is read for an account in which nothing happens. */
export function createAccountsBehind({
  clock,
  events,
  readAccounts,
  stillBehind,
  types,
}: {
  readonly clock: Clock;
  readonly events: Pick<EventSource, 'follow' | 'accountsBetween'>;
  readonly readAccounts: () => Promise<ReadonlySet<number>>;
  /** Returns the accounts that have not sent all events up to that number. */
  readonly stillBehind: (accounts: AccountsUpTo) => Promise<readonly number[]>;
  /** Events that matter; undefined: all. */
  readonly types?: readonly string[];
}): AccountsBehind {
  const followed = createFollowers(clock, readAccounts, (accountNo) => events.follow(accountNo));
  /** For each followed account, whether it may be behind. */
  const isBehind = tracked(new Map<number, boolean>());
  let readUpToNo: number | undefined;
  return {
    async read() {
      const followers = await followed.current();
      for (const accountNo of isBehind.keys()) if (!followers.has(accountNo)) isBehind.delete(accountNo);
      if (followers.size === 0) {
        readUpToNo = undefined;
        return undefined;
      }
      const upToNo = Math.max(...[...followers.values()].map(({ upTo }) => upTo));
      const fresh =
        readUpToNo === undefined || readUpToNo >= upToNo
          ? undefined
          : await events.accountsBetween(readUpToNo, upToNo, types);
      for (const accountNo of followers.keys())
        if (!isBehind.has(accountNo) || fresh?.has(accountNo)) isBehind.set(accountNo, true);
      readUpToNo = upToNo;
      return { accountNos: [...isBehind].filter(([, is]) => is).map(([accountNo]) => accountNo), upToNo };
    },
    async forgetDone(accounts) {
      const still = new Set(await stillBehind(accounts));
      for (const accountNo of accounts.accountNos) if (!still.has(accountNo)) isBehind.set(accountNo, false);
    },
    [Symbol.dispose]: () => followed[Symbol.dispose](),
  };
}
