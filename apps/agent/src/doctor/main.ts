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
import { type Config, loadConfig } from '../config/config.ts';
import { loadPolicy } from '../policy/policy.ts';
import { ownCertificateFinding } from './certificate.ts';
import { checkConnection } from './connection.ts';
import type { Finding } from './finding.ts';
import { diskFinding, pingFinding, policyFinding, streamFinding } from './local-steps.ts';
import { statusText } from './status.ts';
import { readStatus } from './status-socket.ts';

const [command, option] = process.argv.slice(2);
const settings = loadConfig({
  env: process.env,
  cwd: process.cwd(),
  readText: (file) => readFileSync(file, 'utf8'),
});
if (!settings.ok) {
  const remedy = 'Mend /etc/vantage-agent/agent.env, or run this command as root.';
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

/** Prints the status; 0 when the agent is connected, else 1. */
async function showStatus(config: Config): Promise<0 | 1> {
  const answer = await readStatus(config.dataDir);
  if (answer.kind === 'status') {
    const { status } = answer;
    console.log(option === '--json' ? JSON.stringify(status) : statusText(status, Date.now()));
    return status.connection === null ? 1 : 0;
  }
  console.log(findingsText([streamFinding(answer)]));
  return 1;
}

async function examine(config: Config): Promise<Finding[]> {
  const answer = await readStatus(config.dataDir);
  const identity = (name: string) => readIfPresentSync(path.join(config.dataDir, 'identity', name));
  const ca = identity('ca.pem') ?? config.ca; // as the agent: what it got at its enrolment goes first
  const ways = await Promise.all(
    config.endpoints.map((endpoint) => {
      const { hostname, port } = new URL(endpoint);
      const host = hostname.replace(/^\[|\]$/g, '');
      return checkConnection({ host, port: Number(port || 443), ca, proxy: config.proxy }, Date.now);
    }),
  );
  const own = identity('agent.crt');
  const policy = loadPolicy(config.policyText);
  const { policyFile: file } = config;
  return [
    ...ways.flat(),
    ownCertificateFinding(own, Date.now()),
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

/** Why a folder cannot be written, also for root (a read-only disk); undefined: it can, or it is not there yet. */
function refusalOf(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return isMissing(error) ? undefined : messageOf(error);
  }
}
