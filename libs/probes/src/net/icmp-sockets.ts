import { createSharedIcmp, openIcmp } from '@vantage/icmp';

/**
 * How long an unused socket stays open at least, milliseconds: until the next check of a device that is checked every
 * minute or two. Linux begins to stamp packets some milliseconds after the first socket of the machine asks for it, and
 * stops when the last one is closed.
 */
const unusedMs = 150_000;

/**
 * The ICMP sockets of this process, one a family, open while a ping or a traceroute is under way and some minutes
 * longer.
 */
export const icmpSockets = createSharedIcmp({
  open: openIcmp,
  later: (fn) => void setTimeout(fn, unusedMs).unref(),
});
