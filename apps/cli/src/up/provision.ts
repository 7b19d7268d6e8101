import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { Fault, type KeptFiles, messageOf, readIfPresentSync } from '@vantage/kernel';
import { z } from 'zod';
import type { Admin } from '../admin.ts';

const kept = z.object({
  api_key_ua: z.string().optional(),
  api_key_uw: z.string(),
  api_key_ur: z.string(),
  agent_token: z.string(),
});

/** The credentials of a system on this machine. */
type Credentials = z.infer<typeof kept>;

/** The file of the data folder that keeps the credentials. */
export const credentialsFile = 'first-run.json';

/** Credentials, and whether their keys were issued just now. */
export interface Provision extends Credentials {
  readonly isFresh: boolean;
}

/**
 * Ensures that there is an account `default` with a Location `local`, keys (UW, UR, and at the very first start UA)
 * and an agent, and that the credentials which the data folder keeps (the database keeps only hashes) are in force. A
 * key or token that was revoked is replaced, but not the key UA, and so is an agent whose folder is gone.
 */
export async function provision(dataDir: string, admin: Admin, files: KeptFiles): Promise<Provision> {
  const file = path.join(dataDir, credentialsFile);
  const before = remembered(file);
  const credentials = await admin('first-run.provision', {
    ...before,
    agent_name: hostname(),
    has_agent_folder: hasIdentity(path.join(dataDir, 'agent')),
  });
  files.write(file, `${JSON.stringify(credentials, null, 2)}\n`);
  files.write(path.join(dataDir, 'agent-token'), `${credentials.agent_token}\n`);
  const isFresh =
    credentials.api_key_uw !== before.api_key_uw || credentials.api_key_ur !== before.api_key_ur;
  return { ...credentials, isFresh };
}

function remembered(file: string): { readonly [Name in keyof Credentials]?: Credentials[Name] | undefined } {
  let text: string | undefined;
  try {
    text = readIfPresentSync(file);
  } catch (cause) {
    throw new Fault('stop', 'first_run', `${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
  if (text === undefined) return {};
  try {
    return kept.partial().parse(JSON.parse(text));
  } catch (cause) {
    throw new Fault(
      'stop',
      'first_run',
      `${file} is damaged; put it back from the backup, or remove it: new keys are issued then, the old ones stay in force ("./vantage keys list")`,
      { cause },
    );
  }
}

/** Whether the agent's folder remembers the agent's sessions. Throws when that cannot be found out. */
function hasIdentity(agentDir: string): boolean {
  return ['identity.bin', 'identity/agent.key'].some(
    (name) => statSync(path.join(agentDir, name), { throwIfNoEntry: false }) !== undefined,
  );
}
