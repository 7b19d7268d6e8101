export { type ContractFixture, probeContract } from './contract.ts';
export { allowAll, runTest } from './run-test.ts';
export { listen, type TestServer } from './server.ts';
