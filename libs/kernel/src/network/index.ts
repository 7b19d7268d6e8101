export { clientNetwork, equivalentAddresses, greaterNetwork, ipv6Words, normalAddress } from './address.ts';
export {
  createNetworkSet,
  createNetworkTable,
  isNetwork,
  isPrivateHost,
  type NetworkSet,
} from './network-set.ts';
