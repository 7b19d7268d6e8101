import { dayMs } from '@vantage/domain';
import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import path from 'node:path';
import * as x509 from '@peculiar/x509';
import { type Clock, Fault, ignoreMissing, type Logger, messageOf, readIfPresent } from '@vantage/kernel';

/** PEM texts of a server certificate with its chain, and its key. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The controller's own certificates. */
export interface OwnCertificates {
  /** The CA's certificate; agents and curl trust it. */
  readonly caFile: string;
  readonly server: ServerCertificate;
  /** When `server` runs out, microseconds since 1970. */
  readonly notAfterUs: number;
}

const caDays = 3650;
const serverDays = 397;
/** The controller warns the operator when less than this is left of the CA. */
const warnCaDays = 180;
/** A server certificate is made anew when less than this is left. */
const renewBeforeDays = 30;

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * The certificates below `dir`: a CA of our own, made at the first start only (agents trust it), and a server certificate for `names`
 * (DNS names and IP addresses), made when missing, damaged, close to its end or made for other names. Files are 0600, the CA's
 * certificate 0644. Throws a Fault when the CA is damaged, incomplete or over, or a file cannot be read.
 */
export async function ensureCertificates(deps: {
  readonly dir: string;
  readonly names: readonly string[];
  readonly clock: Pick<Clock, 'nowUs'>;
  readonly log: Logger;
}): Promise<OwnCertificates> {
  const { dir, names, log } = deps;
  const now = deps.clock.nowUs() / 1000;
  const file = (name: string) => path.join(dir, name);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const serving = await readPair(file('server.pem'), file('server.key'));
  const ca = await ensureAuthority({ dir, log, now, servesAlready: !serving.isMissing });
  const served = serving.pair;
  const fits =
    served &&
    left(served.cert, now) > renewBeforeDays * dayMs &&
    covers(served.cert, names) &&
    signedBy(served.cert, ca.cert);
  const server = fits ? served : await makeServer({ ca, names, now });
  if (!fits) {
    log.info({ names }, 'a new server certificate is made');
    await writeWhole(file('server.key'), server.key, 0o600);
    await writeWhole(file('server.pem'), server.cert, 0o600);
  }
  return {
    caFile: file('ca.pem'),
    server,
    notAfterUs: Date.parse(new X509Certificate(server.cert).validTo) * 1000,
  };
}

/** The CA below `dir`; a new one at the first start, when there is no server certificate either. */
async function ensureAuthority(deps: {
  readonly dir: string;
  readonly log: Logger;
  readonly now: number;
  readonly servesAlready: boolean;
}): Promise<ServerCertificate> {
  const { dir, log, now } = deps;
  const certFile = path.join(dir, 'ca.pem');
  const keyFile = path.join(dir, 'ca.key');
  const found = await readPair(certFile, keyFile);
  if (found.damaged)
    throw new Fault(
      'stop',
      'ca_damaged',
      `${certFile} and ${keyFile} do not belong together: put the right ones back, or move both away to start with a new CA (agents and clients must then get the new ca.pem)`,
    );
  if (found.pair === undefined && deps.servesAlready)
    throw new Fault(
      'stop',
      'ca_missing',
      `${certFile} is missing: put it and ca.key back from the backup, or move the folder ${dir} away to start with a new CA (agents and clients must then get the new ca.pem)`,
    );
  if (found.pair === undefined) {
    const ca = await makeCa(now);
    log.info({ file: certFile }, 'a new certificate authority is made');
    // A key without its certificate most likely comes from a first start that was interrupted.
    await rename(keyFile, `${keyFile}.old`).catch(ignoreMissing);
    await writeWhole(keyFile, ca.key, 0o600);
    await writeWhole(certFile, ca.cert, 0o644);
    return ca;
  }
  const leftMs = left(found.pair.cert, now);
  const { validTo } = new X509Certificate(found.pair.cert);
  if (leftMs < dayMs)
    throw new Fault(
      'stop',
      'ca_over',
      `${certFile} is valid until ${validTo} only: set this machine's clock if it is wrong, or move the folder ${dir} away to start with a new CA (agents and clients must then get the new ca.pem)`,
    );
  if (leftMs < warnCaDays * dayMs)
    log.warn(
      { file: certFile, validTo },
      'the certificate authority ends soon; move its folder away and give agents the new ca.pem',
    );
  return found.pair;
}

/** Reads the operator's own certificate and key; throws a Fault that names what is wrong. */
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
      throw new Error('the key is not the one of the certificate');
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

async function makeCa(now: number): Promise<ServerCertificate> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=Vantage CA ${randomBytes(4).toString('hex')}`,
    notBefore: new Date(now - dayMs),
    notAfter: new Date(now + caDays * dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: `${cert.toString('pem').trimEnd()}\n`, key: await pemOf(keys.privateKey) };
}

async function makeServer(from: {
  readonly ca: ServerCertificate;
  readonly names: readonly string[];
  readonly now: number;
}): Promise<ServerCertificate> {
  const { now } = from;
  const ca = new x509.X509Certificate(from.ca.cert);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: 'CN=Vantage controller',
    issuer: ca.subject,
    notBefore: new Date(now - dayMs),
    notAfter: new Date(Math.min(now + serverDays * dayMs, ca.notAfter.getTime())),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey(
      'pkcs8',
      createPrivateKey(from.ca.key).export({ type: 'pkcs8', format: 'der' }),
      algorithm,
      false,
      ['sign'],
    ),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        from.names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(ca),
    ],
  });
  return { cert: `${cert.toString('pem').trimEnd()}\n`, key: await pemOf(keys.privateKey) };
}

/** A positive random serial number of 16 bytes (RFC 5280, section 4.1.2.2). */
function serial(): string {
  return `01${randomBytes(15).toString('hex')}`;
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

/** Reads a certificate and its key. No certificate: missing. Not a pair: damaged. Throws a Fault when one of them cannot be read. */
async function readPair(
  certFile: string,
  keyFile: string,
): Promise<{ readonly pair?: ServerCertificate; readonly damaged: boolean; readonly isMissing: boolean }> {
  const read = (file: string) =>
    readIfPresent(file).catch((cause: unknown) => {
      throw new Fault('stop', 'certificate_unreadable', `${file} cannot be read: ${messageOf(cause)}`, {
        cause,
      });
    });
  const [cert, key] = [await read(certFile), await read(keyFile)];
  // Keys are written before certificates, so a key alone comes from an interrupted start.
  if (cert === undefined) return { damaged: false, isMissing: true };
  try {
    if (key !== undefined && new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
      return { pair: { cert, key }, damaged: false, isMissing: false };
  } catch {
    // not PEM: damaged
  }
  return { damaged: true, isMissing: false };
}

function left(cert: string, now: number): number {
  return Date.parse(new X509Certificate(cert).validTo) - now;
}

function covers(cert: string, names: readonly string[]): boolean {
  const certificate = new X509Certificate(cert);
  return names.every((name) =>
    isIP(name) === 0 ? certificate.checkHost(name) !== undefined : certificate.checkIP(name) !== undefined,
  );
}

function signedBy(cert: string, ca: string): boolean {
  return new X509Certificate(cert).verify(new X509Certificate(ca).publicKey);
}

async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  await writeFile(part, text, { mode, flush: true });
  await chmod(part, mode);
  await rename(part, file);
}
