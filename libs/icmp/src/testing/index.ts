export { createTestNetwork, type TestNetwork, whyNoNamespaces } from './test-network.ts';
