import { statSync } from 'node:fs';
import path from 'node:path';
import {
  type DiskSpace,
  isMissing,
  judgeRoom,
  messageOf,
  parseJson,
  readIfPresentSync,
  readSpace,
  roomNeeds,
  roomProblem,
} from '@vantage/kernel';
import { z } from 'zod';
import { defaultEndpoint } from '../agent-endpoint.ts';
import { isLocked } from '../up/data-lock.ts';
import { compareSums, type WhichSums } from './compare-sums.ts';
import type { ControllerFinding } from './controller-finding.ts';
import { examineCertificate } from './examine-certificate.ts';
import { examineKeyFile } from './examine-key-file.ts';
import { examineDatabase } from './examine-own-database.ts';
import { examinePing } from './examine-ping.ts';
import { judgeReadiness } from './judge-readiness.ts';
import { type ControllerAnswer, queryController, tryTls } from './query-controller.ts';

const quickstart = z.object({ base_url: z.string(), ca_file: z.string(), api_key_ur: z.string().optional() });

/** The address and credentials of this machine's controller. */
interface LocalController {
  readonly baseUrl: string;
  readonly caFile: string;
  /** A key that reads the account; undefined: unknown. */
  readonly key: string | undefined;
  /** The operator's certificate need not have the name `localhost`. */
  readonly anyName: boolean;
}

/**
 * Examines the controller of a data folder, step by step: folder, disk, the operator's own database, sums, key file,
 * certificate, process, API, readiness, the agents' port, agents. Leaves out the steps that an earlier fault makes
 * impossible. Never rejects.
 */
export async function examine(
  settings: Readonly<Record<string, string>>,
  nowMs: number,
  sums: WhichSums = 'some',
): Promise<readonly ControllerFinding[]> {
  const folder = path.resolve(settings['VANTAGE_DATA'] ?? 'data');
  const fault = folderFault(folder);
  if (fault !== undefined) return [fault];
  const isRunning = isLocked(folder);
  const database = await examineDatabase(folder, settings);
  const isUsable = database.every(({ level }) => level !== 'fault');
  const findings: ControllerFinding[] = [
    { level: 'ok', step: 'data folder', text: folder },
    judgeDisk(folder, await readSpace(folder)),
    ...database,
    ...(isUsable ? await compareSums({ folder, settings, which: sums, isRunning }) : []),
  ];
  const controller = findController(folder, settings);
  const ca = readIfPresentSync(controller.caFile);
  if (ca === undefined)
    return [...findings, ...examineCertificate(settings, undefined, nowMs), neverStarted(controller.caFile)];
  const trust = { ca, anyName: controller.anyName };
  const hello = await queryController(`${controller.baseUrl}/hello`, trust);
  const served = hello.kind === 'answer' ? hello.certificate : undefined;
  findings.push(
    examineKeyFile(folder, settings),
    ...examineCertificate(settings, served, nowMs),
    systemFinding(folder, isRunning, hello.kind === 'answer'),
    judgeApi(controller.baseUrl, hello, isRunning),
  );
  if (hello.kind === 'none') return findings;
  const endpoint = defaultEndpoint(settings);
  findings.push(
    ...judgeReadiness(await queryController(new URL('/readyz', controller.baseUrl).href, trust)),
    judgeAgentPort(endpoint, await tryTls(endpoint, agentCa(folder) ?? ca)),
    ...(await examinePing(folder)),
  );
  if (controller.key === undefined) return findings;
  const answer = await queryController(`${controller.baseUrl}/agents?Limit=100`, { ca, key: controller.key });
  return [...findings, ...judgeAgents(answer)];
}

function folderFault(folder: string): ControllerFinding | undefined {
  try {
    if (statSync(folder).isDirectory()) return undefined;
    const remedy = 'Set VANTAGE_DATA to a folder.';
    return { level: 'fault', step: 'data folder', text: `${folder} is not a folder`, remedy };
  } catch (error) {
    const text = isMissing(error) ? `${folder} does not exist` : `${folder}: ${messageOf(error)}`;
    const remedy =
      'Set VANTAGE_DATA to the folder of the system, or start one with "npm start". Root can read the folder.';
    return { level: 'fault', step: 'data folder', text, remedy };
  }
}

/** From quickstart.json of `vantage up`, else from the settings of a controller that runs alone. */
function findController(folder: string, settings: Readonly<Record<string, string>>): LocalController {
  const found = quickstart.safeParse(parseJson(readIfPresentSync(path.join(folder, 'quickstart.json')))).data;
  if (found !== undefined)
    return { baseUrl: found.base_url, caFile: found.ca_file, key: found.api_key_ur, anyName: false };
  return {
    baseUrl: `https://localhost:${settings['VANTAGE_HTTPS_PORT'] ?? '8443'}/v1.1`,
    // api-trust.pem has the controller's CA and the operator's certificate.
    caFile: path.join(folder, 'tls', settings['VANTAGE_TLS_CERT'] === undefined ? 'ca.pem' : 'api-trust.pem'),
    key: undefined,
    anyName: settings['VANTAGE_TLS_CERT'] !== undefined,
  };
}

function agentCa(folder: string): string | undefined {
  return readIfPresentSync(path.join(folder, 'tls', 'ca.pem'));
}

function neverStarted(file: string): ControllerFinding {
  return {
    level: 'fault',
    step: 'system',
    text: `no controller has run on this folder yet: ${file} is missing`,
    remedy: 'Start the system with "npm start", or set VANTAGE_DATA to its folder.',
  };
}

function systemFinding(folder: string, isRunning: boolean, answers: boolean): ControllerFinding {
  const step = 'system';
  if (isRunning) return { level: 'ok', step, text: 'it runs (vantage up)' };
  if (answers) return { level: 'ok', step, text: 'a controller runs without vantage up' };
  return {
    level: 'fault',
    step,
    text: `no system runs on ${folder}`,
    remedy:
      'Start it with "npm start", or its service. Its log has the reason for its end: log/controller.log there, or the log of its service.',
  };
}

const logHint = 'Its log has the reason: log/controller.log in the data folder, or the log of its service.';

/** Examines the disk of the data folder. `space` is undefined where the file system does not report it. */
export function judgeDisk(folder: string, space: DiskSpace | undefined): ControllerFinding {
  const step = 'disk';
  if (space === undefined)
    return { level: 'ok', step, text: `the file system of ${folder} does not report its free space` };
  const room = judgeRoom('enough', space, roomNeeds.controller);
  const text = roomProblem(folder, room, space);
  if (text === undefined)
    return { level: 'ok', step, text: `${Math.floor(space.freeBytes / 2 ** 20)} MiB are free` };
  const remedy =
    'Free space, or enlarge the disk. The controller rejects results when it is full; agents keep them.';
  return { level: room === 'full' ? 'fault' : 'warning', step, text, remedy };
}

/** Examines whether the API answers. A running system without an API is starting or stuck. */
export function judgeApi(url: string, hello: ControllerAnswer, isRunning: boolean): ControllerFinding {
  const step = 'API';
  if (hello.kind === 'none')
    return {
      level: 'fault',
      step,
      text: `${url} does not answer: ${hello.reason}`,
      remedy: isRunning
        ? `It may be starting; try again in a minute. ${logHint}`
        : 'Start the system with "npm start", or its service.',
    };
  if (hello.status === 200)
    return { level: 'ok', step, text: `${url} answers in ${Math.round(hello.ms)} ms` };
  const text = `${url} answers ${hello.status}: ${hello.text.slice(0, 200)}`;
  return { level: 'fault', step, text, remedy: logHint };
}

/** `reason` is the reason why TLS failed on the agents' port; undefined: it did not fail. */
function judgeAgentPort(url: string, reason: string | undefined): ControllerFinding {
  const step = 'agents’ port';
  if (reason === undefined) return { level: 'ok', step, text: `${url} opens TLS` };
  return { level: 'fault', step, text: `${url}: ${reason}`, remedy: logHint };
}

const agents = z.array(
  z.object({ Name: z.string(), Location: z.string(), State: z.string(), LastSeen: z.string().nullable() }),
);
/** States of agents that need not be connected. */
const idleStates = new Set(['New', 'Revoked', 'Expired']);
const maxNamed = 5;

/** Examines whether all enrolled agents are connected. */
export function judgeAgents(answer: ControllerAnswer): readonly ControllerFinding[] {
  const step = 'agents';
  if (answer.kind === 'none' || answer.status >= 500) {
    const reason = answer.kind === 'none' ? answer.reason : `the API answers ${answer.status}`;
    const remedy = `The database may hang: look at it first. ${logHint}`;
    return [{ level: 'fault', step, text: `their list cannot be read: ${reason}`, remedy }];
  }
  const list = agents.safeParse(parseJson(answer.text)).data;
  if (list === undefined) return [];
  const enrolled = list.filter(({ State }) => !idleStates.has(State));
  const disconnected = enrolled.filter(({ State }) => State !== 'Connected');
  const text = `${enrolled.length - disconnected.length} of ${enrolled.length} are connected`;
  if (enrolled.length === 0)
    return [
      {
        level: 'warning',
        step,
        text: 'there are no agents, so nothing is checked',
        remedy: '"./vantage agents invite LOCATION" prints the line that installs one.',
      },
    ];
  if (disconnected.length === 0) return [{ level: 'ok', step, text }];
  const names = disconnected
    .slice(0, maxNamed)
    .map(({ Name, Location, LastSeen }) => `${Name} (${Location}) was last seen ${LastSeen ?? 'never'}`);
  const more = disconnected.length > maxNamed ? ` and ${disconnected.length - maxNamed} more` : '';
  const remedy = 'Run `vantage-agent doctor` on its host to find the reason.';
  return [{ level: 'warning', step, text: `${text}; ${names.join(', ')}${more}`, remedy }];
}
