/** Something that accounts, addresses or agents share. Each is a row of docs/shares.md. */
export interface Share {
  /** `places_of_batches`. */
  readonly name: string;
  /** How much there is in all. */
  readonly limit: string;
  /** Whoever can fill it. */
  readonly filledBy: string;
  /** The most of it that one account, address or agent has, and who is next. */
  readonly share: string;
}

const declared = new Map<string, Share>();

/** Declares it beside the mechanism: a pool, a semaphore, a queue, a statement that takes the next due rows. */
export function declareShare(share: Share): void {
  declared.set(share.name, share);
}

/** The shares that the loaded modules declare, by name. */
export function declaredShares(): readonly Share[] {
  return [...declared.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
