export { type ContractFixture, probeContract } from './contract.ts';
export { answerBytes, type NameReply, serveNames, type TestNameServer } from './name-server.ts';
export { allowAll, runTest } from './run-test.ts';
export { addressOf, listen, type TestServer } from './server.ts';
