export { ipv6Words, normalAddress } from './address.ts';
export { clientNetwork } from './client-network.ts';
export { equivalentAddresses } from './equivalent-addresses.ts';
export { createNetworkSet, createNetworkTable, isNetwork, type NetworkSet } from './network-set.ts';
export { isPrivateHost } from './private-address.ts';
