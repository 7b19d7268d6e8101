export { createTestNetwork, type TestNetwork, whyNoNamespaces } from './network.ts';
export { whyNoPing } from './why-no-ping.ts';
