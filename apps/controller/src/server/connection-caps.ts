/** The maximum numbers of open connections of a port. */
export interface ConnectionCaps {
  /** From one network of clients. */
  readonly perNetwork: number;
  /** In all. */
  readonly total: number;
}

/** Descriptors for everything except the ports: database, files, standard streams, child processes. */
const reservedDescriptors = 256;
/** Bounds the memory of connections. */
const maxConnections = 4_096;
const minConnections = 32;
const minPerNetwork = 256;
/**
 * An office behind one address has many open pages, each with up to six connections of a browser: one follows the
 * events, the others wait for the next reads.
 */
const maxPerNetwork = 1_024;

/**
 * The caps of one of the two ports of a process with at most `descriptors` open. Each port gets half of the remaining
 * descriptors, so that neither port uses up the other's.
 */
export function connectionCaps(descriptors: number): ConnectionCaps {
  const share = Math.floor((descriptors - reservedDescriptors) / 2);
  const total = Math.max(minConnections, Math.min(maxConnections, share));
  return {
    perNetwork: Math.min(maxPerNetwork, Math.max(minPerNetwork, Math.floor(total / 4)), total),
    total,
  };
}

type ConnectionAdmission = 'admit' | 'refuse' | 'admit-and-evict';

/** Decides on a new connection. `fromNetwork` and `open` do not count it. A trusted proxy has many clients. */
export function admit(
  now: { readonly fromNetwork: number; readonly open: number; readonly isProxy: boolean },
  caps: ConnectionCaps,
): ConnectionAdmission {
  if (!now.isProxy && now.fromNetwork >= caps.perNetwork) return 'refuse';
  return now.open < caps.total ? 'admit' : 'admit-and-evict';
}
