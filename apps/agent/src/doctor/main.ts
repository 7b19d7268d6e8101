// The agent's commands `status [--json]` and `doctor` on its host. Both read the settings of the installed agent.
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {
  exitCodeOf,
  findingsText,
  isMissing,
  messageOf,
  readIfPresentSync,
  readSpace,
} from '@vantage/kernel';
import { type AgentConfig, loadConfig } from '../config/agent-config.ts';
import { loadPolicy } from '../policy/policy-file.ts';
import type { AgentFinding } from './agent-finding.ts';
import { ownCertificateFinding } from './certificate-steps.ts';
import { checkConnection } from './connection-steps.ts';
import { diskFinding, pingFinding, policyFinding, streamFinding } from './local-steps.ts';
import { statusText } from './status-report.ts';
import { readStatus } from './status-socket.ts';

const [command, option] = process.argv.slice(2);
const settings = loadConfig({
  env: process.env,
  cwd: process.cwd(),
  readText: (file) => readFileSync(file, 'utf8'),
});
if (!settings.ok) {
  const remedy = 'Correct /etc/vantage-agent/agent.env, or run this command as root.';
  console.log(
    findingsText([{ level: 'fault', step: 'settings', text: settings.problems.join('; '), remedy }]),
  );
  process.exitCode = 1;
} else if (command === 'doctor') {
  const findings = await examine(settings.config);
  console.log(findingsText(findings));
  process.exitCode = exitCodeOf(findings);
} else {
  process.exitCode = await showStatus(settings.config);
}

/** Prints the status. Returns 0 when the agent is connected, else 1. */
async function showStatus(config: AgentConfig): Promise<0 | 1> {
  const answer = await readStatus(config.dataDir);
  if (answer.kind === 'status') {
    const { status } = answer;
    console.log(option === '--json' ? JSON.stringify(status) : statusText(status, Date.now()));
    return status.connection === null ? 1 : 0;
  }
  console.log(findingsText([streamFinding(answer)]));
  return 1;
}

async function examine(config: AgentConfig): Promise<AgentFinding[]> {
  const answer = await readStatus(config.dataDir);
  const identity = (name: string) => readIfPresentSync(path.join(config.dataDir, 'identity', name));
  const ca = identity('ca.pem') ?? config.ca; // like the agent, which prefers the CA from its enrolment
  const connections = await Promise.all(
    config.endpoints.map((endpoint) => {
      const { hostname, port } = new URL(endpoint);
      const host = hostname.replace(/^\[|\]$/g, '');
      return checkConnection({ host, port: Number(port || 443), ca, proxy: config.proxy }, Date.now);
    }),
  );
  const certificate = identity('agent.crt');
  const policy = loadPolicy(config.policyText);
  const { policyFile: file } = config;
  return [
    ...connections.flat(),
    ownCertificateFinding(certificate, Date.now()),
    streamFinding(answer),
    diskFinding({
      folder: config.dataDir,
      space: await readSpace(config.dataDir),
      refusal: refusalOf(config.dataDir),
    }),
    policyFinding(
      policy.ok ? [] : policy.problems,
      file === undefined ? undefined : { path: file, stat: statSync(file) },
    ),
    pingFinding(answer),
  ];
}

/**
 * The reason why a folder cannot be written, even by root (a read-only disk). Undefined: it can, or it does not exist
 * yet.
 */
function refusalOf(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return isMissing(error) ? undefined : messageOf(error);
  }
}
