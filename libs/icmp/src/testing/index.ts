export { createTestNetwork, type TestNetwork, whyNoNamespaces } from './network.ts';
