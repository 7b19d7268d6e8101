import { type Clock, declareState } from '@vantage/kernel';
import type { EventFollower } from './account-events.ts';

/** Follows the events of accounts. */
export interface Followers extends Disposable {
  /** The followed accounts with their followers. Looks for new accounts every few seconds. */
  current(): Promise<ReadonlyMap<number, EventFollower>>;
}

const lookEveryMs = 5_000;

const tracked = declareState({
  name: 'followed_accounts',
  entries: { each: 'account with hooks or subscribers of a status page' },
  entryBytes: 500,
  filledBy: 'accounts',
  atBound: 'the limit of accounts',
});

/** Follows the accounts that `read` names, and no others. */
export function createFollowers(
  clock: Clock,
  read: () => Promise<ReadonlySet<number>>,
  follow: (accountNo: number) => Promise<EventFollower>,
): Followers {
  const followers = tracked(new Map<number, EventFollower>());
  let lookedMs = Number.NEGATIVE_INFINITY;
  return {
    async current() {
      if (clock.monoMs() < lookedMs + lookEveryMs) return followers;
      lookedMs = clock.monoMs();
      const accounts = await read();
      for (const [accountNo, follower] of followers) {
        if (accounts.has(accountNo)) continue;
        follower[Symbol.dispose]();
        followers.delete(accountNo);
      }
      for (const accountNo of accounts)
        if (!followers.has(accountNo)) followers.set(accountNo, await follow(accountNo));
      return followers;
    },
    [Symbol.dispose]() {
      for (const follower of followers.values()) follower[Symbol.dispose]();
      followers.clear();
    },
  };
}
