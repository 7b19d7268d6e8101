import { createSharedIcmp, openIcmp } from '@vantage/icmp';

/** How long an unused socket stays open at least, milliseconds. */
const unusedMs = 5000;

/** The ICMP sockets of this process, one a family, open while a ping or a traceroute is under way and some seconds longer. */
export const icmpSockets = createSharedIcmp({
  open: openIcmp,
  later: (fn) => void setTimeout(fn, unusedMs).unref(),
});
