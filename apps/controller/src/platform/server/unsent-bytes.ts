/** Bytes that the REST port keeps for clients that do not read, over all of its connections. */
export const unsentCapBytes = 48 * 1024 * 1024;

/** A connection, with the bytes that it keeps in memory until its client takes them. */
interface Holder {
  /** The client's network. */
  readonly network: string;
  unsentBytes: number;
}

/** The sum of all unsent bytes of a port. */
export interface UnsentBytes<T extends Holder> {
  readonly totalBytes: number;
  /** Notes what a connection keeps now. Returns the connections to cut, so that the sum is within the cap again. */
  note(holder: T, bytes: number): readonly T[];
}

/** Creates an empty sum. `all` are the open connections. */
export function createUnsentBytes<T extends Holder>(deps: {
  readonly capBytes: number;
  readonly all: () => Iterable<T>;
}): UnsentBytes<T> {
  let totalBytes = 0;
  return {
    get totalBytes() {
      return totalBytes;
    },
    note(holder, bytes) {
      totalBytes += bytes - holder.unsentBytes;
      holder.unsentBytes = bytes;
      return totalBytes > deps.capBytes ? chooseCut(deps.all(), deps.capBytes) : [];
    },
  };
}

/**
 * Chooses the connections to cut, so that the others keep `capBytes` at most: each time the greatest connection of
 * the network that keeps the most. So a client with one great answer does not pay for a stranger with many small
 * ones.
 */
export function chooseCut<T extends Readonly<Holder>>(all: Iterable<T>, capBytes: number): readonly T[] {
  const networks = new Map<string, { sum: number; readonly holders: T[] }>();
  let total = 0;
  for (const holder of all) {
    const network = networks.get(holder.network) ?? { sum: 0, holders: [] };
    networks.set(holder.network, network);
    network.sum += holder.unsentBytes;
    network.holders.push(holder);
    total += holder.unsentBytes;
  }
  for (const { holders } of networks.values()) holders.sort((a, b) => a.unsentBytes - b.unsentBytes);
  const cut: T[] = [];
  while (total > capBytes) {
    const greatest = [...networks.values()].reduce((a, b) => (b.sum > a.sum ? b : a));
    const holder = greatest.holders.pop();
    if (holder === undefined) break;
    greatest.sum -= holder.unsentBytes;
    total -= holder.unsentBytes;
    cut.push(holder);
  }
  return cut;
}
