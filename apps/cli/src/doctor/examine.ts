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
import { defaultEndpoint } from '../endpoint.ts';
import { isHeld } from '../up/lock.ts';
import { type Asked, askController, tryTls } from './ask.ts';
import { examineCertificate } from './certificate.ts';
import { examineDatabase } from './database.ts';
import type { Finding } from './finding.ts';
import { examineKeyFile } from './key-file.ts';
import { examinePing } from './ping.ts';
import { judgeReadiness } from './readiness.ts';

const quickstart = z.object({ base_url: z.string(), ca_file: z.string(), api_key_ur: z.string().optional() });

/** Where this machine's controller is reached. */
interface Way {
  readonly baseUrl: string;
  readonly caFile: string;
  /** Reads the account; undefined: none is known. */
  readonly key: string | undefined;
  /** The operator's certificate need not have the name by which this machine is asked. */
  readonly anyName: boolean;
}

/**
 * Examines the controller of a data folder, step by step: folder, disk, a database of the operator's own, key file,
 * certificate, process, API, readiness, the agents' port, agents. What cannot be examined because of an earlier fault
 * is left out. Never rejects.
 */
export async function examine(
  settings: Readonly<Record<string, string>>,
  nowMs: number,
): Promise<readonly Finding[]> {
  const folder = path.resolve(settings['VANTAGE_DATA'] ?? 'data');
  const refused = folderFault(folder);
  if (refused !== undefined) return [refused];
  const findings: Finding[] = [
    { level: 'ok', step: 'data folder', text: folder },
    judgeDisk(folder, await readSpace(folder)),
    ...(await examineDatabase(folder, settings)),
  ];
  const held = isHeld(folder);
  const way = wayTo(folder, settings);
  const ca = readIfPresentSync(way.caFile);
  if (ca === undefined)
    return [...findings, ...examineCertificate(settings, undefined, nowMs), neverStarted(way.caFile)];
  const trust = { ca, anyName: way.anyName };
  const hello = await askController(`${way.baseUrl}/hello`, trust);
  const served = hello.kind === 'answer' ? hello.certificate : undefined;
  findings.push(
    examineKeyFile(folder, settings),
    ...examineCertificate(settings, served, nowMs),
    systemFinding(folder, held, hello.kind === 'answer'),
    judgeApi(way.baseUrl, hello, held),
  );
  if (hello.kind === 'none') return findings;
  const endpoint = defaultEndpoint(settings);
  findings.push(
    ...judgeReadiness(await askController(new URL('/readyz', way.baseUrl).href, trust)),
    judgeAgentPort(endpoint, await tryTls(endpoint, agentCa(folder) ?? ca)),
    ...(await examinePing(folder)),
  );
  if (way.key === undefined) return findings;
  const asked = await askController(`${way.baseUrl}/agents?Limit=100`, { ca, key: way.key });
  return [...findings, ...judgeAgents(asked)];
}

function folderFault(folder: string): Finding | undefined {
  try {
    if (statSync(folder).isDirectory()) return undefined;
    const remedy = 'Set VANTAGE_DATA to a folder.';
    return { level: 'fault', step: 'data folder', text: `${folder} is no folder`, remedy };
  } catch (error) {
    const text = isMissing(error) ? `${folder} does not exist` : `${folder}: ${messageOf(error)}`;
    const remedy =
      'Set VANTAGE_DATA to the folder of the system, or start one with "npm start". As root it is readable.';
    return { level: 'fault', step: 'data folder', text, remedy };
  }
}

/** By the quickstart.json of `vantage up`, else by the settings of a controller that runs alone. */
function wayTo(folder: string, settings: Readonly<Record<string, string>>): Way {
  const found = quickstart.safeParse(parseJson(readIfPresentSync(path.join(folder, 'quickstart.json')))).data;
  if (found !== undefined)
    return { baseUrl: found.base_url, caFile: found.ca_file, key: found.api_key_ur, anyName: false };
  return {
    baseUrl: `https://localhost:${settings['VANTAGE_HTTPS_PORT'] ?? '8443'}/v1.1`,
    // With the operator's certificate the file of the trusted ones has that one, too.
    caFile: path.join(folder, 'tls', settings['VANTAGE_TLS_CERT'] === undefined ? 'ca.pem' : 'api-trust.pem'),
    key: undefined,
    anyName: settings['VANTAGE_TLS_CERT'] !== undefined,
  };
}

function agentCa(folder: string): string | undefined {
  return readIfPresentSync(path.join(folder, 'tls', 'ca.pem'));
}

function neverStarted(file: string): Finding {
  return {
    level: 'fault',
    step: 'system',
    text: `no controller ran on this folder yet: ${file} is missing`,
    remedy: 'Start the system with "npm start", or set VANTAGE_DATA to its folder.',
  };
}

function systemFinding(folder: string, held: boolean, answers: boolean): Finding {
  const step = 'system';
  if (held) return { level: 'ok', step, text: 'it runs (vantage up)' };
  if (answers) return { level: 'ok', step, text: 'a controller runs without vantage up' };
  return {
    level: 'fault',
    step,
    text: `no system runs on ${folder}`,
    remedy:
      'Start it with "npm start", or its service. Its log says why it ended: log/controller.log there, or the log of its service.',
  };
}

const logHint = 'Its log says why: log/controller.log in the data folder, or the log of its service.';

/** Whether the disk of the data folder has room. `space` undefined: that cannot be found out. */
export function judgeDisk(folder: string, space: DiskSpace | undefined): Finding {
  const step = 'disk';
  if (space === undefined)
    return { level: 'ok', step, text: `the room of ${folder} cannot be found out on this file system` };
  const room = judgeRoom('enough', space, roomNeeds.controller);
  const text = roomProblem(folder, room, space);
  if (text === undefined)
    return { level: 'ok', step, text: `${Math.floor(space.freeBytes / 2 ** 20)} MiB are free` };
  const remedy =
    'Make room, or give the disk more. The controller refuses results when it is full; agents keep them.';
  return { level: room === 'full' ? 'fault' : 'warning', step, text, remedy };
}

/** Whether the API answers; a running system that does not is starting or stuck. */
export function judgeApi(url: string, hello: Asked, isHeld: boolean): Finding {
  const step = 'API';
  if (hello.kind === 'none')
    return {
      level: 'fault',
      step,
      text: `${url} does not answer: ${hello.reason}`,
      remedy: isHeld
        ? `It may be starting; ask again in a minute. ${logHint}`
        : 'Start the system with "npm start", or its service.',
    };
  if (hello.status === 200)
    return { level: 'ok', step, text: `${url} answers in ${Math.round(hello.ms)} ms` };
  const text = `${url} answers ${hello.status}: ${hello.text.slice(0, 200)}`;
  return { level: 'fault', step, text, remedy: logHint };
}

/** Whether agents on this machine reach their port. `reason`: why TLS failed there; undefined: it did not. */
function judgeAgentPort(url: string, reason: string | undefined): Finding {
  const step = 'agents’ port';
  if (reason === undefined) return { level: 'ok', step, text: `${url} opens TLS` };
  return { level: 'fault', step, text: `${url}: ${reason}`, remedy: logHint };
}

const agents = z.array(
  z.object({ Name: z.string(), Location: z.string(), State: z.string(), LastSeen: z.string().nullable() }),
);
/** Agents that nobody expects to be connected. */
const idleStates = new Set(['New', 'Revoked', 'Expired']);
const mostNamed = 5;

/** Whether all agents that were enrolled are connected. */
export function judgeAgents(asked: Asked): readonly Finding[] {
  const step = 'agents';
  if (asked.kind === 'none' || asked.status >= 500) {
    const why = asked.kind === 'none' ? asked.reason : `the API answers ${asked.status}`;
    const remedy = `The database may hang: look at it first. ${logHint}`;
    return [{ level: 'fault', step, text: `their list cannot be read: ${why}`, remedy }];
  }
  const list = agents.safeParse(parseJson(asked.text)).data;
  if (list === undefined) return [];
  const enrolled = list.filter(({ State }) => !idleStates.has(State));
  const away = enrolled.filter(({ State }) => State !== 'Connected');
  const text = `${enrolled.length - away.length} of ${enrolled.length} are connected`;
  if (enrolled.length === 0)
    return [
      {
        level: 'warning',
        step,
        text: 'there are none, so nothing is checked',
        remedy: '"./vantage agents invite LOCATION" prints the line that installs one.',
      },
    ];
  if (away.length === 0) return [{ level: 'ok', step, text }];
  const names = away
    .slice(0, mostNamed)
    .map(({ Name, Location, LastSeen }) => `${Name} (${Location}) was last seen ${LastSeen ?? 'never'}`);
  const more = away.length > mostNamed ? ` and ${away.length - mostNamed} more` : '';
  const remedy = 'On its host: `vantage-agent doctor` says what keeps it away.';
  return [{ level: 'warning', step, text: `${text}; ${names.join(', ')}${more}`, remedy }];
}
