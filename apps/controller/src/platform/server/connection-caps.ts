/** How many connections the REST port keeps open. */
export interface ConnectionCaps {
  /** From one client's network. */
  readonly perNetwork: number;
  /** In all. */
  readonly total: number;
}

/** Descriptors that the process needs besides its ports: database, files, standard streams, programs that it starts. */
const reservedDescriptors = 256;
/** With more connections the controller would need more memory than its hosts have. */
const maxConnections = 4_096;
const fewestConnections = 32;
const fewPerNetwork = 256;
/**
 * An office behind one address has many open pages, and a browser holds up to six connections for each: one follows the
 * events, the others wait for the next reads.
 */
const perNetwork = 1_024;

/**
 * The caps of one of the two ports of a process that may have `descriptors` open: each port gets half of the
 * descriptors that the process does not need itself, so that neither port uses those of the other.
 */
export function connectionCaps(descriptors: number): ConnectionCaps {
  const share = Math.floor((descriptors - reservedDescriptors) / 2);
  const total = Math.max(fewestConnections, Math.min(maxConnections, share));
  return { perNetwork: Math.min(perNetwork, Math.max(fewPerNetwork, Math.floor(total / 4)), total), total };
}

/** The decision on a new connection. */
export type Admission = 'admit' | 'refuse' | 'admit-and-evict';

/**
 * Decides on a new connection. `fromNetwork` and `open` are counted without it; a trusted proxy stands for many
 * clients.
 */
export function admit(
  now: { readonly fromNetwork: number; readonly open: number; readonly isProxy: boolean },
  caps: ConnectionCaps,
): Admission {
  if (!now.isProxy && now.fromNetwork >= caps.perNetwork) return 'refuse';
  return now.open < caps.total ? 'admit' : 'admit-and-evict';
}
