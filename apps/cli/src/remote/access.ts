import { homedir } from 'node:os';
import path from 'node:path';
import { Fault, readIfPresentSync } from '@vantage/kernel';
import { z } from 'zod';
import type { ControllerAccess } from './https-fetch.ts';

/** Where the controller is, as the arguments of a command say it. */
export interface GivenAccess {
  readonly server?: string | undefined;
  readonly key?: string | undefined;
  readonly ca?: string | undefined;
  readonly profile?: string | undefined;
}

const profile = z.object({ server: z.string(), key: z.string(), ca: z.string().optional() });
const profiles = z.record(z.string(), profile);
const quickstart = z.object({ base_url: z.string(), api_key_uw: z.string(), ca_file: z.string() });

/** The profiles that `vantage login` has stored; only their owner can read the file. */
export function profilesFile(env: NodeJS.ProcessEnv): string {
  return path.join(env['XDG_CONFIG_HOME'] ?? path.join(homedir(), '.config'), 'vantage', 'profiles.json');
}

/** Reads the profiles; none where there is no file. Throws a Fault for a file that is none. */
export function readProfiles(file: string): Readonly<Record<string, ControllerAccess>> {
  const text = readIfPresentSync(file);
  if (text === undefined) return {};
  try {
    return profiles.parse(JSON.parse(text));
  } catch {
    throw new Fault('stop', 'settings', `${file} holds no profiles; remove it, and run vantage login again`);
  }
}

/**
 * Finds the controller: by the arguments, else the settings VANTAGE_SERVER, VANTAGE_KEY and VANTAGE_CA, else the
 * profile, else the system that runs on this machine's data folder. Throws a Fault where nothing says it.
 */
export function findAccess(given: GivenAccess, env: NodeJS.ProcessEnv): ControllerAccess {
  const server = given.server ?? env['VANTAGE_SERVER'];
  const key = given.key ?? env['VANTAGE_KEY'];
  const ca = given.ca ?? env['VANTAGE_CA'];
  const stored = given.profile === undefined && server !== undefined ? undefined : storedAccess(given, env);
  const found = {
    server: server ?? stored?.server,
    key: key ?? stored?.key,
    ca: ca ?? (server === undefined ? stored?.ca : undefined),
  };
  if (found.server === undefined || found.key === undefined)
    throw new Fault(
      'stop',
      'settings',
      `nothing says ${found.server === undefined ? 'where the controller is' : 'with which key'}; give --server https://host:port/v1.1 --key KEY (or VANTAGE_SERVER and VANTAGE_KEY), or run vantage login once`,
    );
  return { server: judgeServer(found.server), key: found.key, ca: found.ca };
}

/**
 * Whether a command that the operator has on the controller's host, too, is meant for the API: something names a
 * controller, or a profile is there and no system runs on this machine's data folder.
 */
export function isForApi(given: GivenAccess, env: NodeJS.ProcessEnv): boolean {
  const isNamed = [given.server, given.key, given.profile, env['VANTAGE_SERVER']].some(
    (each) => each !== undefined,
  );
  if (isNamed) return true;
  const isHere =
    readIfPresentSync(quickstartFile(env)) !== undefined || env['VANTAGE_DATABASE_URL'] !== undefined;
  return !isHere && Object.hasOwn(readProfiles(profilesFile(env)), 'default');
}

function quickstartFile(env: NodeJS.ProcessEnv): string {
  return path.resolve(env['VANTAGE_DATA'] ?? 'data', 'quickstart.json');
}

function storedAccess({ profile: name }: GivenAccess, env: NodeJS.ProcessEnv): ControllerAccess | undefined {
  const all = readProfiles(profilesFile(env));
  const found = all[name ?? 'default'];
  if (found !== undefined) return found;
  if (name !== undefined)
    throw new Fault(
      'stop',
      'settings',
      `there is no profile ${name}; there are: ${Object.keys(all).join(', ') || 'none'} (vantage login --profile ${name} makes it)`,
    );
  const text = readIfPresentSync(quickstartFile(env));
  const here = text === undefined ? undefined : quickstart.safeParse(JSON.parse(text)).data;
  return here && { server: here.base_url, key: here.api_key_uw, ca: here.ca_file };
}

/** The address of the API. Throws a Fault for what is none. */
export function judgeServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:')
    throw new Fault('stop', 'settings', `--server ${text} is no address; accepted is https://host:port/v1.1`);
  return url.pathname === '/' ? new URL('/v1.1', url).href : url.href.replace(/\/+$/, '');
}
