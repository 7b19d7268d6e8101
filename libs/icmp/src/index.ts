export type { IcmpErrorReason } from './icmp-error.ts';
export type { IcmpSocket, PingAnswer, PingRequest, SendingOptions } from './icmp-socket.ts';
export { openMarkedSocket, whyNoMarks } from './marked-socket.ts';
export { describeMissingRight, missingRight } from './missing-right.ts';
export { type IcmpUnavailable, type OpenIcmpOptions, openIcmp, whyNoPing } from './open-icmp.ts';
export type { Family } from './packet.ts';
export { type HopAnswer, type HopRequest, sendHop } from './send-hop.ts';
export { createSharedIcmp, type IcmpLease, icmpSockets, type SharedIcmp } from './shared-icmp.ts';
export { createTcpFigures, type ReadTcpFigures, type TcpFigures } from './tcp-figures.ts';
