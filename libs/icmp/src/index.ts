export { type HopAnswer, type HopRequest, sendHop } from './hop.ts';
export type { IcmpSocket, PingAnswer, PingRequest } from './icmp-socket.ts';
export {
  createSharedIcmp,
  describeMissingRight,
  type IcmpLease,
  type IcmpUnavailable,
  icmpSockets,
  missingRight,
  type OpenIcmpOptions,
  openIcmp,
  type SharedIcmp,
  whyNoPing,
} from './open.ts';
export type { Family, IcmpErrorReason } from './packet.ts';
export { createTcpFigures, type ReadTcpFigures, type TcpFigures } from './tcp-figures.ts';
