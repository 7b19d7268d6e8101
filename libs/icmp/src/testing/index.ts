export { loadAddon as loadIcmp } from '../addon.ts';
export { createTestNetwork, type TestNetwork, whyNoNamespaces } from './test-network.ts';
