import path from 'node:path';
import { type KeptFiles, removeIfAllowed } from '@vantage/kernel';
import type { Ready } from './controller-messages.ts';
import { credentialsFile, type Provision } from './provision.ts';

/** The content of quickstart.json: how programs on this machine reach the running system. */
export interface Quickstart {
  readonly base_url: string;
  readonly ca_file: string;
  readonly api_key_uw: string;
  readonly api_key_ur: string;
  readonly agent_endpoint: string;
  /** The page for people. */
  readonly dashboard_url: string;
  readonly database_url: string;
  readonly pids: { readonly controller: number; readonly agent: number };
}

/** The page's address beside the API's. */
export function dashboardUrl(baseUrl: string): string {
  return new URL('/', baseUrl).href;
}

/** The content of quickstart.json for a system that serves. Pure. */
export function quickstartOf(
  ready: Ready,
  credentials: Pick<Provision, 'api_key_uw' | 'api_key_ur'>,
  pids: Quickstart['pids'],
): Quickstart {
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
 * The JSON text that `vantage up --json` prints. It holds the keys when they were issued just now. Later starts name
 * the file that holds them (`keys_file`), because others read the journal into which the output of a service goes. They
 * do not show the database's password.
 */
export function quickstartText(quickstart: Quickstart, isFresh: boolean, dataDir: string): string {
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

/** Writes quickstart.json, readable by its owner only. */
export function writeQuickstart(files: KeptFiles, dataDir: string, quickstart: Quickstart): void {
  files.write(fileOf(dataDir), `${asText(quickstart)}\n`);
}

/** Removes quickstart.json: no system runs. */
export function removeQuickstart(dataDir: string): void {
  removeIfAllowed(fileOf(dataDir));
}

/**
 * The URL with `***` for a password before the host or in the query. A socket's URL has no host, so WHATWG's URL cannot
 * read it.
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
