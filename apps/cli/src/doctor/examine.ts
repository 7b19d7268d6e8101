import { statSync } from 'node:fs';
import path from 'node:path';
import { isMissing, messageOf, parseJson, readIfPresentSync, readSpace } from '@vantage/kernel';
import { z } from 'zod';
import { createAdmin } from '../admin.ts';
import { defaultEndpoint, ownCertificate } from '../endpoint.ts';
import { isHeld } from '../up/lock.ts';
import { askController, tryTls } from './ask.ts';
import {
  type Finding,
  judgeAgentPort,
  judgeAgents,
  judgeApi,
  judgeCertificate,
  judgeDisk,
  judgeReadiness,
} from './judge.ts';

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
