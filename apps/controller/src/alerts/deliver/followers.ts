import { type Clock, declareState } from '@vantage/kernel';

/** The last event of an account that everybody can read. */
export interface Follower extends Disposable {
  readonly upTo: number;
}

/** Follows the events of accounts. */
export interface Followers extends Disposable {
  /** The accounts that are followed, with their followers; it looks for new ones every few seconds. */
  current(): Promise<ReadonlyMap<number, Follower>>;
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
  follow: (accountNo: number) => Promise<Follower>,
): Followers {
  const followers = tracked(new Map<number, Follower>());
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

/** An event as a hook gets it. */
export interface ReadEvent {
  readonly no: number;
  readonly id: string;
  readonly type: string;
  /** When it happened, and its record as GET /events shows it. */
  readonly timestamp: string;
  readonly record: object;
}

/** The functions of the history that hooks read events with. */
export interface EventSource {
  /** Begins to follow an account. `upTo`: every event up to this number is readable now. */
  follow(accountNo: number): Promise<Follower>;
  /** The accounts that have events (of these types) with numbers above `afterNo` up to `upToNo`. */
  accountsBetween(afterNo: number, upToNo: number, types?: readonly string[]): Promise<ReadonlySet<number>>;
  /** The account's events with numbers above `afterNo` up to `upToNo`, at most `limit`, in their order. */
  read(ask: {
    readonly accountNo: number;
    readonly timezone: string;
    readonly afterNo: number;
    readonly upToNo: number;
    readonly limit: number;
    readonly types: readonly string[] | undefined;
    readonly tagNos: readonly number[] | undefined;
  }): Promise<readonly ReadEvent[]>;
}
