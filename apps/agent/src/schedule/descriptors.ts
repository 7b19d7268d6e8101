/** Descriptors for the agent itself: its files, the stream, the spawner of scripts, resolvers, and a reserve. */
const ownDescriptors = 48;
/** A check may race two connections, and a redirect or a data channel is another one. */
const perCheck = 2;

/** How many checks may run at one moment so that they leave the agent its own file descriptors: at least one. */
export function checksWithin(limit: number, wanted: number): number {
  return Math.max(1, Math.min(wanted, Math.floor((limit - ownDescriptors) / perCheck)));
}
