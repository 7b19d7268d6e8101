export { describeMissingRight, missingRight } from './access.ts';
export { type HopAnswer, type HopRequest, sendHop } from './hop.ts';
export type { IcmpErrorReason } from './icmp-error.ts';
export type { IcmpSocket, PingAnswer, PingRequest } from './icmp-socket.ts';
export { type IcmpUnavailable, type OpenIcmpOptions, openIcmp } from './open.ts';
export type { Family } from './packet.ts';
export { createSharedIcmp, type IcmpLease, type SharedIcmp } from './shared.ts';
export { createTcpFigures, type ReadTcpFigures, type TcpFigures } from './tcp-figures.ts';
