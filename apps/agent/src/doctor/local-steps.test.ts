import { exitCodeOf, findingsText } from '@vantage/kernel';
import { expect, test } from 'vitest';
import type { AgentFinding } from './agent-finding.ts';
import { ownCertificateFinding } from './certificate-steps.ts';
import { diskFinding, pingFinding, policyFinding, streamFinding } from './local-steps.ts';
import type { StatusReport } from './status-report.ts';

const status: StatusReport = {
  version: '1.2.3',
  pid: 7,
  startedMs: 0,
  devices: 3,
  waitingRecords: 2,
  clockOffsetMs: 1,
  pingFault: null,
  connection: { endpoint: 'https://c:8444', location: 'berlin', sinceMs: 0 },
  lastDisconnect: null,
};
const running = (more: Partial<StatusReport> = {}) => ({
  kind: 'status' as const,
  status: { ...status, ...more },
});
const file = (uid: number, mode: number) => ({ path: '/etc/policy.json', stat: { uid, mode } });

const gibibyte = 1024 ** 3;
const disk = (freeBytes: number, refusal?: string) =>
  diskFinding({ folder: '/data', space: { freeBytes, totalBytes: 10 * gibibyte }, refusal });

const cases: readonly [what: string, finding: AgentFinding, level: AgentFinding['level']][] = [
  ['a connected agent', streamFinding(running()), 'ok'],
  ['an agent without connection', streamFinding(running({ connection: null })), 'fault'],
  ['no agent', streamFinding({ kind: 'not-running' }), 'fault'],
  ['a foreign status', streamFinding({ kind: 'unreadable', text: 'EACCES' }), 'fault'],
  ['a policy of root', policyFinding([], file(0, 0o100644)), 'ok'],
  ['no policy', policyFinding([], undefined), 'warning'],
  ['a policy of another user', policyFinding([], file(1000, 0o100644)), 'warning'],
  ['a policy that a group may write', policyFinding([], file(0, 0o100664)), 'warning'],
  ['an invalid policy', policyFinding(['Ports: no port'], file(0, 0o100644)), 'fault'],
  ['a disk with room', disk(gibibyte), 'ok'],
  ['a disk that is nearly full', disk(gibibyte / 4), 'warning'],
  ['a full disk', disk(0), 'fault'],
  ['a read-only disk', disk(gibibyte, 'EROFS: read-only file system'), 'fault'],
  ['a disk that tells nothing', diskFinding({ folder: '/data', space: undefined, refusal: undefined }), 'ok'],
  ['an agent that may ping', pingFinding(running()), 'ok'],
  ['an agent that may not ping', pingFinding(running({ pingFault: 'needs CAP_NET_RAW' })), 'warning'],
  ['no own certificate', ownCertificateFinding(undefined, 0), 'warning'],
  ['a damaged own certificate', ownCertificateFinding('PEM', 0), 'fault'],
];

test.each(cases)('%s: the level, and what to do unless it is well', (_, finding, level) => {
  expect(finding.level).toBe(level);
  expect(exitCodeOf([finding])).toBe(level === 'fault' ? 1 : 0);
  const lines = findingsText([finding]).split('\n');
  expect(lines).toHaveLength(level === 'ok' ? 1 : 2);
});
