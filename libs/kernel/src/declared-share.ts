/** Something that accounts, addresses or agents share. Each is a row of docs/shares.md. */
export interface DeclaredShare {
  /** `places_of_batches`. */
  readonly name: string;
  /** The bound for all owners together. */
  readonly limit: string;
  /** The actors that can fill it. */
  readonly filledBy: string;
  /** The maximum for one account, address or agent, and the order in which owners are served. */
  readonly share: string;
}

const declared = new Map<string, DeclaredShare>();

/** Declares a share next to its mechanism: a pool, a semaphore, a queue, a statement that takes the next due rows. */
export function declareShare(share: DeclaredShare): void {
  declared.set(share.name, share);
}

/** The shares that the loaded modules declare, by name. */
export function declaredShares(): readonly DeclaredShare[] {
  return [...declared.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
