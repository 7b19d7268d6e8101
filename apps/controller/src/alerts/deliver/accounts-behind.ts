import { type Clock, declareState } from '@vantage/kernel';
import { createFollowers, type EventSource } from './followers.ts';

/** The accounts that may have events to send, and the number up to which events are readable. */
interface Seen {
  readonly accountNos: readonly number[];
  readonly upToNo: number;
}

/** The accounts that may have events to send. */
interface AccountsBehind extends Disposable {
  /** Those accounts now; undefined: none is followed. */
  look(): Promise<Seen | undefined>;
  /** Forgets those that have sent all events up to that number. */
  forgetDone(seen: Seen): Promise<void>;
}

const tracked = declareState({
  name: 'accounts_behind',
  entries: { each: 'account with hooks or subscribers of a status page' },
  entryBytes: 100,
  filledBy: 'accounts',
  atBound: 'the limit of accounts',
});

/** Follows the accounts that `readAccounts` names, so that nothing is read for one in which nothing happens. */
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
  /** Returns the accounts among these that have not sent all events up to that number. */
  readonly stillBehind: (seen: Seen) => Promise<readonly number[]>;
  /** Events that matter; undefined: all. */
  readonly types?: readonly string[];
}): AccountsBehind {
  const followed = createFollowers(clock, readAccounts, (accountNo) => events.follow(accountNo));
  /** Of each followed account whether it may be behind. */
  const isBehind = tracked(new Map<number, boolean>());
  let lookedTo: number | undefined;
  return {
    async look() {
      const followers = await followed.current();
      for (const accountNo of isBehind.keys()) if (!followers.has(accountNo)) isBehind.delete(accountNo);
      if (followers.size === 0) {
        lookedTo = undefined;
        return undefined;
      }
      const upToNo = Math.max(...[...followers.values()].map(({ upTo }) => upTo));
      const fresh =
        lookedTo === undefined || lookedTo >= upToNo
          ? undefined
          : await events.accountsBetween(lookedTo, upToNo, types);
      for (const accountNo of followers.keys())
        if (!isBehind.has(accountNo) || fresh?.has(accountNo)) isBehind.set(accountNo, true);
      lookedTo = upToNo;
      return { accountNos: [...isBehind].filter(([, is]) => is).map(([accountNo]) => accountNo), upToNo };
    },
    async forgetDone(seen) {
      const still = new Set(await stillBehind(seen));
      for (const accountNo of seen.accountNos) if (!still.has(accountNo)) isBehind.set(accountNo, false);
    },
    [Symbol.dispose]: () => followed[Symbol.dispose](),
  };
}
