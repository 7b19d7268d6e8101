export { encodeInteger, encodeOid, tlv } from './ber.ts';
export { type CertificateSettings, makeCertificate, type TestCertificate } from './certificate.ts';
export { type ContractFixture, probeContract } from './contract.ts';
export { type DatagramFixture, datagramContract } from './datagram-contract.ts';
export { type CheckWithValues, type DeviceChecks, deviceChecks } from './device-checks.ts';
export { type DigestSite, serveDigest } from './digest-site.ts';
export { collectGarbage, liveBytes } from './garbage.ts';
export { type DirectoryEntry, serveDirectory, type TestDirectory } from './ldap-server.ts';
export { type LineScript, speakLines } from './line-server.ts';
export { answerBytes, type NameReply, serveNames, type TestNameServer } from './name-server.ts';
export { acceptedExamples, isBounded, pumpedTexts, type SchemaText, textFields } from './pumped-texts.ts';
export { allowAll, runTest } from './run-test.ts';
export { addressOf, closedPort, listen, type TestServer } from './server.ts';
export {
  type AgentObject,
  type AgentRequest,
  type AgentValue,
  serveSnmp,
  snmpAnswers,
  type TestSnmpAgent,
} from './snmp-agent.ts';
export { agentObject, systemObjects, upTime } from './snmp-objects.ts';
export {
  createSwitch,
  type PortCounter,
  type SimulatedPort,
  type SimulatedSwitch,
} from './snmp-switch.ts';
export { answerWith, serveSite, startSite, type TestSite } from './web-server.ts';
