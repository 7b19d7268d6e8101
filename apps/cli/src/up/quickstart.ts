import path from 'node:path';
import { type KeptFiles, removeIfAllowed } from '@vantage/kernel';
import type { Ready } from './controller-messages.ts';
import { credentialsFile, type Provision } from './provision-system.ts';

/** The content of quickstart.json, from which programs on this machine find the running system. */
export interface QuickstartFile {
  readonly base_url: string;
  readonly ca_file: string;
  readonly api_key_uw: string;
  readonly api_key_ur: string;
  readonly agent_endpoint: string;
  readonly dashboard_url: string;
  readonly database_url: string;
  readonly pids: { readonly controller: number; readonly agent: number };
}

/** The address of the dashboard, which the controller serves next to the API. */
export function dashboardUrl(baseUrl: string): string {
  return new URL('/', baseUrl).href;
}

export function quickstartOf(
  ready: Ready,
  credentials: Pick<Provision, 'api_key_uw' | 'api_key_ur'>,
  pids: QuickstartFile['pids'],
): QuickstartFile {
  const { base_url, ca_file, agent_endpoint, database_url } = ready;
  const { api_key_uw, api_key_ur } = credentials;
  return {
    base_url,
    ca_file,
    api_key_uw,
    api_key_ur,
    agent_endpoint,
    dashboard_url: dashboardUrl(base_url),
    database_url,
    pids,
  };
}

/**
 * The JSON that `vantage up --json` prints. It contains new keys. Later starts name only the file with the keys
 * (`keys_file`) and hide the database's password, because other people may read the journal of a service.
 */
export function quickstartText(quickstart: QuickstartFile, isFresh: boolean, dataDir: string): string {
  if (isFresh) return asText(quickstart);
  const keysFile = path.join(dataDir, credentialsFile);
  const database_url = withoutPassword(quickstart.database_url);
  return asText({
    ...quickstart,
    api_key_uw: undefined,
    api_key_ur: undefined,
    database_url,
    keys_file: keysFile,
  });
}

export function writeQuickstart(files: KeptFiles, dataDir: string, quickstart: QuickstartFile): void {
  files.write(fileOf(dataDir), `${asText(quickstart)}\n`);
}

export function removeQuickstart(dataDir: string): void {
  removeIfAllowed(fileOf(dataDir));
}

/**
 * Replaces the password before the host or in the query by `***`. A socket's URL has no host, so `URL` cannot parse it.
 */
function withoutPassword(url: string): string {
  return url
    .replace(/^([a-z]+:\/\/[^:@/]*):.*@/s, '$1:***@')
    .replaceAll(/([?&](?:ssl)?password=)[^&]*/g, '$1***');
}

function fileOf(dataDir: string): string {
  return path.join(dataDir, 'quickstart.json');
}

function asText(content: object): string {
  return JSON.stringify(content, null, 2);
}
