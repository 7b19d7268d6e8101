import { createSharedIcmp, openIcmp } from '@vantage/icmp';

/** The ICMP sockets of this process, one a family, open while a ping or a traceroute is under way. */
export const icmpSockets = createSharedIcmp({ open: openIcmp });
