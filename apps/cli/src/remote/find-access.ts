import { homedir } from 'node:os';
import path from 'node:path';
import { Fault, readIfPresentSync } from '@vantage/kernel';
import { z } from 'zod';
import type { ControllerAccess } from './https-fetch.ts';

/** The controller, as the options of a command name it. */
export interface AccessOptions {
  readonly server?: string | undefined;
  readonly key?: string | undefined;
  readonly ca?: string | undefined;
  readonly profile?: string | undefined;
}

const profile = z.object({ server: z.string(), key: z.string(), ca: z.string().optional() });
const profiles = z.record(z.string(), profile);
const quickstart = z.object({ base_url: z.string(), api_key_uw: z.string(), ca_file: z.string() });

/** The file with the profiles of `vantage login`. Only its owner can read it. */
export function profilesFile(env: NodeJS.ProcessEnv): string {
  return path.join(env['XDG_CONFIG_HOME'] ?? path.join(homedir(), '.config'), 'vantage', 'profiles.json');
}

/** Reads the profiles; none where there is no file. Throws a Fault where the file is damaged. */
export function readProfiles(file: string): Readonly<Record<string, ControllerAccess>> {
  const text = readIfPresentSync(file);
  if (text === undefined) return {};
  try {
    return profiles.parse(JSON.parse(text));
  } catch {
    throw new Fault(
      'stop',
      'settings',
      `${file} has no valid profiles; remove it, and run vantage login again`,
    );
  }
}

/**
 * Finds the controller: by the options, else the settings VANTAGE_SERVER, VANTAGE_KEY and VANTAGE_CA, else the
 * profile, else the system that runs on this machine's data folder. Throws a Fault where none of them names it.
 */
export function findAccess(options: AccessOptions, env: NodeJS.ProcessEnv): ControllerAccess {
  const server = options.server ?? env['VANTAGE_SERVER'];
  const key = options.key ?? env['VANTAGE_KEY'];
  const ca = options.ca ?? env['VANTAGE_CA'];
  const stored =
    options.profile === undefined && server !== undefined ? undefined : storedAccess(options, env);
  const found = {
    server: server ?? stored?.server,
    key: key ?? stored?.key,
    ca: ca ?? (server === undefined ? stored?.ca : undefined),
  };
  if (found.server === undefined || found.key === undefined)
    throw new Fault(
      'stop',
      'settings',
      `${found.server === undefined ? 'the address of the controller' : 'the key'} is missing; give --server https://host:port/v1.1 --key KEY (or VANTAGE_SERVER and VANTAGE_KEY), or run vantage login once`,
    );
  return { server: parseServer(found.server), key: found.key, ca: found.ca };
}

/**
 * Whether a command that also exists on the controller's host is meant for the API: an option or setting names a
 * controller, or there is a default profile and no system runs on this machine's data folder.
 */
export function isForApi(options: AccessOptions, env: NodeJS.ProcessEnv): boolean {
  const isNamed = [options.server, options.key, options.profile, env['VANTAGE_SERVER']].some(
    (value) => value !== undefined,
  );
  if (isNamed) return true;
  const isLocal =
    readIfPresentSync(quickstartFile(env)) !== undefined || env['VANTAGE_DATABASE_URL'] !== undefined;
  return !isLocal && Object.hasOwn(readProfiles(profilesFile(env)), 'default');
}

function quickstartFile(env: NodeJS.ProcessEnv): string {
  return path.resolve(env['VANTAGE_DATA'] ?? 'data', 'quickstart.json');
}

function storedAccess(
  { profile: name }: AccessOptions,
  env: NodeJS.ProcessEnv,
): ControllerAccess | undefined {
  const all = readProfiles(profilesFile(env));
  const found = all[name ?? 'default'];
  if (found !== undefined) return found;
  if (name !== undefined)
    throw new Fault(
      'stop',
      'settings',
      `there is no profile ${name}; there are: ${Object.keys(all).join(', ') || 'none'} (vantage login --profile ${name} creates it)`,
    );
  const text = readIfPresentSync(quickstartFile(env));
  const local = text === undefined ? undefined : quickstart.safeParse(JSON.parse(text)).data;
  return local && { server: local.base_url, key: local.api_key_uw, ca: local.ca_file };
}

/** Returns the address of the API. Throws a Fault where the text is not an address. */
export function parseServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:')
    throw new Fault(
      'stop',
      'settings',
      `--server ${text} is not an address; accepted is https://host:port/v1.1`,
    );
  return url.pathname === '/' ? new URL('/v1.1', url).href : url.href.replace(/\/+$/, '');
}
