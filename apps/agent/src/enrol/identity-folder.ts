import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Fault, ignoreMissing, messageOf, parseJson, replaceFile } from '@vantage/kernel';
import { z } from 'zod';
import { ensureFolder } from '../storage/disk.ts';

/** The agent's key and the certificates that the controller issued for it; PEM. */
export interface AgentCredentials {
  readonly key: string;
  readonly certificate: string;
  /** The CAs that the agent trusts in addition to those of VANTAGE_CA_FILE. */
  readonly ca: string;
  /** SHA-256 of the token that was used to enrol, in hex. */
  readonly tokenHash: string;
}

/** The certificate that the controller issues for a key. */
export interface Grant {
  readonly agentId: string;
  readonly certificate: string;
  readonly ca: string;
}

/** The folder with the agent's key and certificate. Files have mode 0600, public ones 0644. */
export interface IdentityFolder {
  /**
   * The certificate in the folder when it was opened. A certificate that is damaged or belongs to another key is empty.
   * Undefined: no key.
   */
  readonly found: AgentCredentials | undefined;
  /**
   * A key for an enrolment, on disk when this resolves. Returns the same key until `keep` stores it. Rejects when the
   * disk refuses.
   */
  newKey(): Promise<string>;
  /** Stores a key with the certificates that the controller issued for it. Rejects when the disk refuses. */
  keep(key: string, grant: Grant, tokenHash: string): Promise<void>;
}

const agentRecord = z.object({ agent_id: z.string(), token_sha256: z.string().optional() });

/** The name of the folder in the agent's data folder. */
export const identityFolder = 'identity';

/** Opens the folder. It creates the folder at the first write. Throws a Fault when a file cannot be read. */
export async function openIdentityFolder(dataDir: string): Promise<IdentityFolder> {
  const folder = path.join(dataDir, identityFolder);
  const file = (name: string) => path.join(folder, name);
  const read = (name: string) =>
    readFile(file(name), 'utf8')
      .catch(ignoreMissing)
      .catch((cause: unknown) => {
        throw new Fault('stop', 'identity-unreadable', `${file(name)} cannot be read: ${messageOf(cause)}`, {
          cause,
        });
      });
  const write = async (name: string, text: string, mode: number) => {
    await ensureFolder(folder);
    await replaceFile(file(name), text, { mode });
  };
  const key = await read('agent.key');
  const certificate = (await read('agent.crt')) ?? '';
  const tokenHash = agentRecord.safeParse(parseJson(await read('agent.json'))).data?.token_sha256 ?? '';
  const ca = (await read('ca.pem')) ?? '';
  return {
    found:
      key !== undefined && isKey(key)
        ? { key, certificate: isOfKey(certificate, key) ? certificate : '', ca, tokenHash }
        : undefined,
    async newKey() {
      const before = await read('new.key');
      if (before !== undefined && isKey(before)) return before;
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const fresh = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      await write('new.key', fresh, 0o600);
      return fresh;
    },
    async keep(grantedKey, { agentId, certificate: cert, ca: trusted }, usedTokenHash) {
      // The key is written first: a key without its certificate can renew, a certificate without its key is useless.
      if ((await read('agent.key')) !== grantedKey) await write('agent.key', grantedKey, 0o600);
      await write('agent.pub', publicPem(grantedKey), 0o644);
      await write('agent.crt', cert, 0o644);
      await write('ca.pem', trusted, 0o644);
      await write(
        'agent.json',
        `${JSON.stringify({ agent_id: agentId, token_sha256: usedTokenHash })}\n`,
        0o600,
      );
      if ((await read('new.key')) === grantedKey) await write('new.key', '', 0o600);
    },
  };
}

function publicPem(key: string): string {
  return createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'pem' }).toString();
}

function isKey(text: string): boolean {
  try {
    createPrivateKey(text);
    return true;
  } catch {
    return false;
  }
}

function isOfKey(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** The SHA-256 that identifies a token in the folder, in hex. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
