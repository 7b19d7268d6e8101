import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Fault, messageOf, replaceFileSync } from '@vantage/kernel';
import { readText } from '../imports/input.ts';
import { judgeServer, profilesFile, readProfiles } from './access.ts';
import { connect, take } from './connection.ts';

/**
 * Tries a key and keeps it in a profile that its owner alone can read. Nothing is kept where the controller refuses it.
 * Resolves with a line for people.
 */
export async function runLogin(
  given: { readonly server: string; readonly key: string; readonly ca?: string; readonly profile: string },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const key = given.key === '-' ? readText('-').trim() : given.key;
  // A path in a profile is used from any folder.
  const ca = given.ca === undefined ? undefined : path.resolve(given.ca);
  const access = { server: judgeServer(given.server), key, ...(ca === undefined ? {} : { ca }) };
  using connection = connect(access);
  const { Name } = await take(connection.client.GET('/account'));
  const file = profilesFile(env);
  const all = { ...readProfiles(file), [given.profile]: access };
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    replaceFileSync(file, `${JSON.stringify(all, null, 2)}\n`, 0o600);
  } catch (error) {
    throw new Fault('stop', 'unwritable', `${file} cannot be written: ${messageOf(error)}`);
  }
  return `${file} keeps the profile ${given.profile}: account ${Name} at ${access.server}.`;
}
