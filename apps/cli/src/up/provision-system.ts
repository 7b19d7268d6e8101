import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { Fault, type KeptFiles, messageOf, readIfPresentSync } from '@vantage/kernel';
import { z } from 'zod';
import type { Admin } from '../admin-process.ts';

const credentialsSchema = z.object({
  api_key_ua: z.string().optional(),
  api_key_uw: z.string(),
  api_key_ur: z.string(),
  agent_token: z.string(),
});

/** The credentials of a system on this machine. */
type SystemCredentials = z.infer<typeof credentialsSchema>;

/** The file with the credentials, in the data folder. */
export const credentialsFile = 'first-run.json';

export interface Provision extends SystemCredentials {
  /** The keys were issued now. */
  readonly isFresh: boolean;
}

/**
 * Ensures that the account `default` exists with the Location `local`, keys (UW, UR, and at the first start UA) and an
 * agent, and that the credentials in the data folder are valid; the database has only hashes. Replaces a revoked key or
 * token, except the key UA, and an agent whose folder is missing.
 */
export async function provision(dataDir: string, admin: Admin, files: KeptFiles): Promise<Provision> {
  const file = path.join(dataDir, credentialsFile);
  const before = readCredentials(file);
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

function readCredentials(file: string): {
  readonly [Name in keyof SystemCredentials]?: SystemCredentials[Name] | undefined;
} {
  let text: string | undefined;
  try {
    text = readIfPresentSync(file);
  } catch (cause) {
    throw new Fault('stop', 'first_run', `${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
  if (text === undefined) return {};
  try {
    return credentialsSchema.partial().parse(JSON.parse(text));
  } catch (cause) {
    throw new Fault(
      'stop',
      'first_run',
      `${file} is damaged; restore it from the backup, or remove it: then new keys are issued, and the old keys stay valid ("./vantage keys list")`,
      { cause },
    );
  }
}

/** Whether the agent's folder has the agent's identity. Throws where the folder cannot be read. */
function hasIdentity(agentDir: string): boolean {
  return ['identity.bin', 'identity/agent.key'].some(
    (name) => statSync(path.join(agentDir, name), { throwIfNoEntry: false }) !== undefined,
  );
}
