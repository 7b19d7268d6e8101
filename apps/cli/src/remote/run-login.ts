import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { readText } from '@vantage/imports/input';
import { Fault, messageOf, replaceFileSync } from '@vantage/kernel';
import { connect, take } from './api-connection.ts';
import { parseServer, profilesFile, readProfiles } from './find-access.ts';

/**
 * Tests a key with the controller and stores it in a profile that only its owner can read. Returns a line for people.
 */
export async function runLogin(
  login: { readonly server: string; readonly key: string; readonly ca?: string; readonly profile: string },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const key = login.key === '-' ? readText('-').trim() : login.key;
  // The profile is used from any folder, so its path must be absolute.
  const ca = login.ca === undefined ? undefined : path.resolve(login.ca);
  const access = { server: parseServer(login.server), key, ...(ca === undefined ? {} : { ca }) };
  using connection = connect(access);
  const { Name } = await take(connection.client.GET('/account'));
  const file = profilesFile(env);
  const profiles = { ...readProfiles(file), [login.profile]: access };
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    replaceFileSync(file, `${JSON.stringify(profiles, null, 2)}\n`, 0o600);
  } catch (error) {
    throw new Fault('stop', 'unwritable', `${file} cannot be written: ${messageOf(error)}`);
  }
  return `The profile ${login.profile} is in ${file}: account ${Name} at ${access.server}.`;
}
