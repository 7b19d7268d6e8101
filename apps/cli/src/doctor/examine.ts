import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { dayMs } from '@vantage/domain';
import type { OperatorAnswers } from '@vantage/domain/operator-commands';
import {
  type DiskSpace,
  type Finding as FindingOf,
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
import { createAdmin } from '../admin.ts';
import { defaultEndpoint, ownCertificate } from '../endpoint.ts';
import { isHeld } from '../up/lock.ts';
import { type Asked, askController, tryTls } from './ask.ts';
import { examinePing } from './ping.ts';

const quickstart = z.object({ base_url: z.string(), ca_file: z.string(), api_key_ur: z.string().optional() });

/** Where this machine's controller is reached. */
interface Way {
  readonly baseUrl: string;
  readonly caFile: string;
  /** Reads the account; undefined: none is known. */
  readonly key: string | undefined;
}

/**
 * Examines the controller of a data folder, step by step: folder, disk, a database of the operator's own, process,
 * certificate, API, readiness, the agents' port, agents. What cannot be examined because of an earlier fault is left
 * out. Never rejects.
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
    ...(await examineDatabase(settings)),
  ];
  const held = isHeld(folder);
  const certificate = ownCertificate(settings);
  if (certificate !== undefined) findings.push(judgeCertificate(certificate, nowMs));
  const way = wayTo(folder, settings);
  const ca = readIfPresentSync(way.caFile);
  if (ca === undefined) return [...findings, neverStarted(way.caFile)];
  const hello = await askController(`${way.baseUrl}/hello`, { ca });
  findings.push(systemFinding(folder, held, hello.kind === 'answer'), judgeApi(way.baseUrl, hello, held));
  if (hello.kind === 'none') return findings;
  const endpoint = defaultEndpoint(settings);
  findings.push(
    ...judgeReadiness(await askController(new URL('/readyz', way.baseUrl).href, { ca })),
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
  if (found !== undefined) return { baseUrl: found.base_url, caFile: found.ca_file, key: found.api_key_ur };
  return {
    baseUrl: `https://localhost:${settings['VANTAGE_HTTPS_PORT'] ?? '8443'}/v1.1`,
    caFile: path.join(folder, 'tls', 'ca.pem'),
    key: undefined,
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

/**
 * Examines the database of VANTAGE_DATABASE_URL, its replicas and the one of VANTAGE_DATABASE_READ_URL; nothing where
 * the first setting is missing. Never rejects.
 */
async function examineDatabase(settings: Readonly<Record<string, string>>): Promise<readonly Finding[]> {
  const url = settings['VANTAGE_DATABASE_URL'];
  if (url === undefined) return [];
  const request = { read_url: settings['VANTAGE_DATABASE_READ_URL'] };
  return createAdmin(url)('database.examine', request).catch((error: unknown) => [
    {
      level: 'fault',
      step: 'database',
      text: messageOf(error),
      remedy: 'docs/operate.md, "PostgreSQL of your own", says what Vantage needs of it.',
    },
  ]);
}

type Step =
  | 'data folder'
  | 'disk'
  | OperatorAnswers['database.examine'][number]['step']
  | 'system'
  | 'certificate'
  | 'API'
  | 'readiness'
  | 'agents’ port'
  | 'PING'
  | 'agents';

/** One finding of the controller's doctor. */
type Finding = FindingOf<Step>;

/** A certificate that ends in fewer days is worth a warning. */
const soonDays = 21;
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

/** Whether the certificate of the controller (PEM) is valid by this machine's clock. */
export function judgeCertificate(pem: string, nowMs: number): Finding {
  const step = 'certificate';
  try {
    const { validToDate, validFromDate } = new X509Certificate(pem);
    const days = Math.floor((validToDate.getTime() - nowMs) / dayMs);
    const until = validToDate.toISOString().slice(0, 10);
    const clock =
      'Compare this clock with another one (`date`). If it is right, restart the controller: it renews its own.';
    if (nowMs < validFromDate.getTime())
      return { level: 'fault', step, text: 'it is not valid yet by this clock', remedy: clock };
    if (days < 0) return { level: 'fault', step, text: `it ended on ${until}`, remedy: clock };
    if (days >= soonDays) return { level: 'ok', step, text: `valid until ${until}` };
    const remedy =
      'The controller renews its own certificate by itself. One of VANTAGE_TLS_CERT is yours to renew.';
    return { level: 'warning', step, text: `it ends in ${days} days`, remedy };
  } catch (error) {
    const remedy =
      'Put tls/server.pem and its key back from the backup, or remove both: the controller makes new ones.';
    return { level: 'fault', step, text: `it cannot be read: ${messageOf(error)}`, remedy };
  }
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

/** The controller's own words about its readiness (`/readyz`): whether it can serve, and its warnings. */
export function judgeReadiness(readyz: Asked): readonly Finding[] {
  const step = 'readiness';
  if (readyz.kind === 'none') return [];
  const [first = '', ...others] = readyz.text.trim().split('\n');
  const remedy = 'docs/operate.md says what to do, by the words of the line.';
  if (readyz.status !== 200) return [{ level: 'fault', step, text: first, remedy }];
  const warnings = others.map((line) => line.replace(/^warning: /, ''));
  if (warnings.length === 0)
    return [{ level: 'ok', step, text: 'the controller serves, and warns of nothing' }];
  return warnings.map((text) => ({ level: 'warning', step, text, remedy }));
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
  const list = asked.kind === 'answer' ? agents.safeParse(parseJson(asked.text)).data : undefined;
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
