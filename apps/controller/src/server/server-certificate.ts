import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import path from 'node:path';
import { dayMs } from '@vantage/domain';
import {
  type Clock,
  Fault,
  type KeptFiles,
  keepFiles,
  type Logger,
  messageOf,
  readIfPresent,
} from '@vantage/kernel';
import type { SigningAuthority } from './authority.ts';

/** PEM texts of a server certificate with its chain, and its key. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The authorities of all controllers on a database. */
export interface Authorities {
  /** Signs new certificates. */
  readonly signing: SigningAuthority;
  /** Certificates of all authorities that have not expired, the signing one first; PEM. */
  readonly trusted: readonly string[];
}

/** The certificates that the controller creates. */
export interface GeneratedCertificates {
  /** The file with the certificates of the authorities, for agents and curl. */
  readonly caFile: string;
  readonly server: ServerCertificate;
  /** The end of `server`, microseconds since 1970. */
  readonly notAfterUs: number;
}

/** A server certificate is renewed when fewer days are left. */
const renewBeforeDays = 30;

/**
 * Writes the certificates of the authorities below `dir`, and a server certificate for `names` (DNS names and IP
 * addresses). A new server certificate is created when the present one is missing, damaged, close to its end, for other
 * names or of another authority. Files are 0600, `ca.pem` 0644; `files` retries when the disk rejects a write. Throws a
 * Fault when a file cannot be read.
 */
export async function ensureCertificates(deps: {
  readonly dir: string;
  readonly names: readonly string[];
  readonly authorities: Authorities;
  readonly clock: Pick<Clock, 'nowUs'>;
  readonly log: Logger;
  readonly files?: KeptFiles;
}): Promise<GeneratedCertificates> {
  const { dir, names, log, authorities } = deps;
  const files = deps.files ?? keepFiles((text) => log.warn(text));
  const { signing } = authorities;
  const nowMs = deps.clock.nowUs() / 1000;
  const file = (name: string) => path.join(dir, name);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const caFile = file('ca.pem');
  const trusted = authorities.trusted.join('');
  await updateFile(files, caFile, trusted, 0o644);
  const pair = await readPair(file('server.pem'), file('server.key'));
  const fits =
    pair &&
    pair.key === signing.serverKey &&
    Date.parse(new X509Certificate(pair.cert).validTo) - nowMs > renewBeforeDays * dayMs &&
    covers(pair.cert, names) &&
    new X509Certificate(pair.cert).verify(new X509Certificate(signing.cert).publicKey);
  const server = fits ? pair : await makePair(signing, { names, nowMs });
  if (!fits) {
    log.info({ names }, 'a new server certificate was created');
    files.write(file('server.key'), server.key);
    files.write(file('server.pem'), server.cert);
  }
  return { caFile, server, notAfterUs: Date.parse(new X509Certificate(server.cert).validTo) * 1000 };
}

/** Creates a certificate of a controller, with its key. Loads its library on demand, because few starts need it. */
async function makePair(
  signing: SigningAuthority,
  subject: { readonly names: readonly string[]; readonly nowMs: number },
): Promise<ServerCertificate> {
  const { signServer } = await import('./authority.ts');
  return { cert: await signServer(signing, subject), key: signing.serverKey };
}

/** Writes a file unless it has this text already. Throws a Fault when it cannot be read. */
export async function updateFile(files: KeptFiles, file: string, text: string, mode: number): Promise<void> {
  if ((await readOrFault(file)) !== text) files.write(file, text, mode);
}

/** Reads the operator's certificate and key. Throws a Fault that names the problem. */
export async function readCertificate(files: {
  certFile: string;
  keyFile: string;
}): Promise<ServerCertificate> {
  try {
    const [cert, key] = await Promise.all([
      readFile(files.certFile, 'utf8'),
      readFile(files.keyFile, 'utf8'),
    ]);
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
      throw new Error('the key does not belong to the certificate');
    return { cert, key };
  } catch (cause) {
    throw new Fault(
      'stop',
      'bad_certificate',
      `VANTAGE_TLS_CERT (${files.certFile}) and VANTAGE_TLS_KEY (${files.keyFile}): ${messageOf(cause)}`,
      { cause },
    );
  }
}

/**
 * Reads a certificate and its key; undefined when one of them is missing, or they do not belong together. Throws a
 * Fault when one of them cannot be read.
 */
async function readPair(certFile: string, keyFile: string): Promise<ServerCertificate | undefined> {
  const [cert, key] = [await readOrFault(certFile), await readOrFault(keyFile)];
  if (cert === undefined || key === undefined) return undefined;
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
  } catch {
    return undefined; // not PEM
  }
}

function readOrFault(file: string): Promise<string | undefined> {
  return readIfPresent(file).catch((cause: unknown) => {
    throw new Fault('stop', 'certificate_unreadable', `${file} cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  });
}

/** Whether a certificate (PEM) has all these DNS names and IP addresses. */
export function covers(cert: string, names: readonly string[]): boolean {
  const certificate = new X509Certificate(cert);
  return names.every((name) =>
    isIP(name) === 0 ? certificate.checkHost(name) !== undefined : certificate.checkIP(name) !== undefined,
  );
}
