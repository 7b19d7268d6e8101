/** The position in the events of an account up to which all transactions are committed. */
export interface EventFollower extends Disposable {
  readonly upTo: number;
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

/** The functions of the history with which hooks read events. */
export interface EventSource {
  /** Starts to follow an account. `upTo`: every event up to this number is readable now. */
  follow(accountNo: number): Promise<EventFollower>;
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
