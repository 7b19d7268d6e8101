/** The bytes that all connections of the REST port together may buffer for clients that do not read. */
export const unsentCapBytes = 48 * 1024 * 1024;

/** A connection with the bytes that it buffers until its client reads them. */
interface BufferingConnection {
  /** The client's network. */
  readonly network: string;
  unsentBytes: number;
}

/** The sum of the unsent bytes of a port. */
export interface UnsentBytes<T extends BufferingConnection> {
  readonly totalBytes: number;
  /** Updates the bytes of a connection. Returns the connections to close, so that the sum is within the cap again. */
  note(connection: T, bytes: number): readonly T[];
}

/** Creates an empty sum. `all` are the open connections. */
export function createUnsentBytes<T extends BufferingConnection>(deps: {
  readonly capBytes: number;
  readonly all: () => Iterable<T>;
}): UnsentBytes<T> {
  let totalBytes = 0;
  return {
    get totalBytes() {
      return totalBytes;
    },
    note(connection, bytes) {
      totalBytes += bytes - connection.unsentBytes;
      connection.unsentBytes = bytes;
      return totalBytes > deps.capBytes ? chooseCut(deps.all(), deps.capBytes) : [];
    },
  };
}

/**
 * Chooses the connections to close, so that the others buffer at most `capBytes`: repeatedly the largest connection of
 * the network that buffers the most. A client with one large answer is therefore not closed because of a stranger with
 * many small answers.
 */
export function chooseCut<T extends Readonly<BufferingConnection>>(
  all: Iterable<T>,
  capBytes: number,
): readonly T[] {
  const networks = new Map<string, { sum: number; readonly connections: T[] }>();
  let total = 0;
  for (const connection of all) {
    const network = networks.get(connection.network) ?? { sum: 0, connections: [] };
    networks.set(connection.network, network);
    network.sum += connection.unsentBytes;
    network.connections.push(connection);
    total += connection.unsentBytes;
  }
  for (const { connections } of networks.values()) connections.sort((a, b) => a.unsentBytes - b.unsentBytes);
  const cut: T[] = [];
  while (total > capBytes) {
    const largest = [...networks.values()].reduce((a, b) => (b.sum > a.sum ? b : a));
    const connection = largest.connections.pop();
    if (connection === undefined) break;
    largest.sum -= connection.unsentBytes;
    total -= connection.unsentBytes;
    cut.push(connection);
  }
  return cut;
}
