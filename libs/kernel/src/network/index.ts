export { clientNetwork, equivalentAddresses, greaterNetwork, ipv6Words, normalAddress } from './address.ts';
export {
  createNetworkSet,
  createNetworkTable,
  isNetwork,
  type NetworkSet,
} from './network-set.ts';
export { isPrivateHost } from './private-host.ts';
