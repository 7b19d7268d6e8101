import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Fault, ignoreMissing, type Logger, messageOf, parseJson, replaceFile } from '@vantage/kernel';
import { z } from 'zod';
import { createFaultReporter, ensureFolder } from '../storage/disk.ts';

/** The key of this agent, and what the controller gave for it; PEM texts. */
export interface Credentials {
  readonly key: string;
  readonly certificate: string;
  /** The authorities that the agent trusts besides those of VANTAGE_CA_FILE. */
  readonly ca: string;
  /** SHA-256 of the token that enrolled, in hex. */
  readonly tokenHash: string;
}

/** The certificate that the controller issues for a key. */
export interface Grant {
  readonly agentId: string;
  readonly certificate: string;
  readonly ca: string;
}

/** The folder with the agent's key and certificate. Files are 0600, and public ones 0644. */
export interface IdentityFolder {
  /**
   * The certificate in the folder when it was opened; a certificate that is damaged or of another key is empty.
   * Undefined: no key.
   */
  readonly found: Credentials | undefined;
  /**
   * A key for an enrolment, on disk when this resolves; the same again until `keep` stores what came of it. Rejects
   * when the disk refuses.
   */
  newKey(): Promise<string>;
  /** Stores a key with what the controller gave for it. Rejects when the disk refuses. */
  keep(key: string, grant: Grant, tokenHash: string): Promise<void>;
}

const about = z.object({ agent_id: z.string(), token_sha256: z.string().optional() });

/** The name of the folder in the agent's data folder. */
export const identityFolder = 'identity';

/** Opens the folder; makes nothing yet. Throws a Fault when a file cannot be read. */
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
  const tokenHash = about.safeParse(parseJson(await read('agent.json'))).data?.token_sha256 ?? '';
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
    async keep(keptKey, { agentId, certificate: cert, ca: trusted }, usedTokenHash) {
      // The key comes first: a key without its certificate renews, a certificate without its key is worth nothing.
      if ((await read('agent.key')) !== keptKey) await write('agent.key', keptKey, 0o600);
      await write('agent.pub', publicPem(keptKey), 0o644);
      await write('agent.crt', cert, 0o644);
      await write('ca.pem', trusted, 0o644);
      await write(
        'agent.json',
        `${JSON.stringify({ agent_id: agentId, token_sha256: usedTokenHash })}\n`,
        0o600,
      );
      if ((await read('new.key')) === keptKey) await write('new.key', '', 0o600);
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

/** The SHA-256 by which a folder names a token, in hex. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Stores what the controller grants, also over a disk that refuses it for a while. */
interface GrantStore {
  keep(key: string, grant: Grant, tokenHash: string): Promise<void>;
  /** Stores what the disk refused before, if there is something. */
  again(): Promise<void>;
}

/** Creates the store; the log gets one line for each new fault of the disk. */
export function createGrantStore(folder: Pick<IdentityFolder, 'keep'>, log: Logger): GrantStore {
  const faults = createFaultReporter((text) =>
    log.error(`the agent's certificate cannot be stored: ${text}`),
  );
  let unstored: (() => Promise<void>) | undefined;
  const again = async () => {
    try {
      await unstored?.();
      unstored = undefined;
      faults.clear();
    } catch (error) {
      faults.report(error);
    }
  };
  return {
    again,
    keep(...granted) {
      unstored = () => folder.keep(...granted);
      return again();
    },
  };
}

/**
 * A certificate is renewed after this share of its time, and up to so much later, so that agents do not come together.
 */
const renewAfter = { share: 2 / 3, spread: 1 / 12 };

/** Whether a certificate (PEM; empty: there is none) is good no more. Pure. */
export function isOver(certificate: string, nowUs: number): boolean {
  return certificate === '' || nowUs >= timesOf(certificate).toUs;
}

/** Whether a certificate is to be renewed. `jitter` is a number from 0 to 1 that the agent keeps. Pure. */
export function isDue(certificate: string, nowUs: number, jitter: number): boolean {
  if (certificate === '') return true;
  const { fromUs, toUs } = timesOf(certificate);
  return nowUs >= fromUs + (toUs - fromUs) * (renewAfter.share + renewAfter.spread * jitter);
}

/** From when to when a certificate is good, microseconds since 1970. */
function timesOf(certificate: string): { readonly fromUs: number; readonly toUs: number } {
  const { validFrom, validTo } = new X509Certificate(certificate);
  return { fromUs: Date.parse(validFrom) * 1000, toUs: Date.parse(validTo) * 1000 };
}
