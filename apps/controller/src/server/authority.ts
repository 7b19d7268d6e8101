// This file is loaded on demand, because its library has hundreds of modules.
import 'reflect-metadata';
import { createPrivateKey, createPublicKey, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';
import { dayMs } from '@vantage/domain';
import { agentCertificateEarlierUs } from './agent-certificate-times.ts';

/** A certificate authority that can sign; PEM texts. */
export interface SigningAuthority {
  readonly cert: string;
  readonly key: string;
  /** The key of the certificates of all controllers, so that the pin of an invitation is valid for each of them. */
  readonly serverKey: string;
}

const caDays = 3650;
const serverDays = 397;
/**
 * Certificates begin this much earlier, so that hosts of agents with late clocks accept them. A certificate still lasts
 * less than the 825 days that clients accept from private authorities.
 */
const earlierMs = 400 * dayMs;

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Creates an authority that is valid for ten years from `nowMs` on. */
export async function makeAuthority(nowMs: number): Promise<SigningAuthority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=Vantage CA ${randomBytes(4).toString('hex')}`,
    notBefore: new Date(nowMs - earlierMs),
    notAfter: new Date(nowMs + caDays * dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: pemOf(cert), key: await keyPem(keys.privateKey), serverKey: await makeServerKey() };
}

/** A new private key for the certificates of the controllers. */
export async function makeServerKey(): Promise<string> {
  const { privateKey } = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  return keyPem(privateKey);
}

/** Signs a certificate of a controller for these DNS names and IP addresses; PEM. */
export async function signServer(
  authority: SigningAuthority,
  { names, nowMs }: { readonly names: readonly string[]; readonly nowMs: number },
): Promise<string> {
  return sign(authority, {
    subject: 'CN=Vantage controller',
    publicKey: createPublicKey(authority.serverKey).export({ type: 'spki', format: 'der' }),
    fromMs: nowMs - earlierMs,
    toMs: nowMs + serverDays * dayMs,
    extensions: [
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
      ),
    ],
  });
}

/** Signs a certificate of an agent, which names its agent_id only; PEM. `publicKey` is a SubjectPublicKeyInfo, DER. */
export async function signAgent(
  authority: SigningAuthority,
  {
    agentId,
    publicKey,
    nowMs,
    toMs,
  }: {
    readonly agentId: string;
    readonly publicKey: Uint8Array;
    readonly nowMs: number;
    readonly toMs: number;
  },
): Promise<string> {
  return sign(authority, {
    subject: `CN=${agentId}`,
    publicKey,
    toMs,
    fromMs: nowMs - agentCertificateEarlierUs / 1000,
    extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
  });
}

async function sign(
  authority: SigningAuthority,
  content: {
    readonly subject: string;
    /** SubjectPublicKeyInfo, DER. */
    readonly publicKey: Uint8Array;
    readonly fromMs: number;
    readonly toMs: number;
    readonly extensions: readonly x509.Extension[];
  },
): Promise<string> {
  const ca = new x509.X509Certificate(authority.cert);
  const publicKey = new x509.PublicKey(Uint8Array.from(content.publicKey));
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: content.subject,
    issuer: ca.subject,
    notBefore: new Date(Math.max(content.fromMs, ca.notBefore.getTime())),
    notAfter: new Date(Math.min(content.toMs, ca.notAfter.getTime())),
    signingAlgorithm: algorithm,
    publicKey,
    signingKey: await webcrypto.subtle.importKey(
      'pkcs8',
      createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' }),
      algorithm,
      false,
      ['sign'],
    ),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      ...content.extensions,
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(ca),
    ],
  });
  return pemOf(cert);
}

function pemOf(cert: x509.X509Certificate): string {
  return `${cert.toString('pem').trimEnd()}\n`;
}

/** A positive random serial number of 16 bytes (RFC 5280, section 4.1.2.2). */
function serial(): string {
  return `01${randomBytes(15).toString('hex')}`;
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
}
