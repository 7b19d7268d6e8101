export { type HopAnswer, type HopRequest, sendHop } from './hop.ts';
export type { IcmpSocket, PingAnswer, PingRequest } from './icmp-socket.ts';
export {
  describeMissingRight,
  type IcmpUnavailable,
  missingRight,
  type OpenIcmpOptions,
  openIcmp,
} from './open.ts';
export type { Family, IcmpErrorReason } from './packet.ts';
export { createSharedIcmp, type IcmpLease, icmpSockets, type SharedIcmp } from './shared.ts';
export { createTcpFigures, type ReadTcpFigures, type TcpFigures } from './tcp-figures.ts';
