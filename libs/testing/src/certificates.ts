import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as x509 from '@peculiar/x509';

/** Files of a key and a certificate (PEM). */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  /** Both in one file, as some servers need them. */
  readonly bundle: string;
}

/** A CA with a good, an expired and a wrongly named certificate for 127.0.0.1 and `real.test`. */
export interface Certificates {
  readonly caFile: string;
  readonly ca: string;
  readonly good: CertificateFiles;
  readonly expired: CertificateFiles;
  readonly wrongName: CertificateFiles;
}

/** RSA, because some servers accept no elliptic key. */
const algorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
} as const;
const day = 86_400_000;

/** Creates the certificates in `folder`; the expired one ended three days ago. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  mkdirSync(folder, { recursive: true });
  x509.cryptoProvider.set(webcrypto);
  const caKeys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const now = Date.now();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=Vantage test CA',
    notBefore: new Date(now - 400 * day),
    notAfter: new Date(now + 400 * day),
    keys: caKeys,
    signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  const caFile = path.join(folder, 'ca.pem');
  writeFileSync(caFile, ca.toString('pem'));
  const issue = async (name: string, names: x509.JsonGeneralNames, fromMs: number, toMs: number) => {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const cert = await x509.X509CertificateGenerator.create({
      serialNumber: Buffer.from(name).toString('hex'),
      subject: `CN=${name}`,
      issuer: ca.subject,
      notBefore: new Date(fromMs),
      notAfter: new Date(toMs),
      signingKey: caKeys.privateKey,
      publicKey: keys.publicKey,
      signingAlgorithm: algorithm,
      extensions: [new x509.SubjectAlternativeNameExtension(names)],
    });
    const keyPem = x509.PemConverter.encode(
      await webcrypto.subtle.exportKey('pkcs8', keys.privateKey),
      'PRIVATE KEY',
    );
    const files = {
      cert: path.join(folder, `${name}.pem`),
      key: path.join(folder, `${name}.key`),
      bundle: path.join(folder, `${name}-all.pem`),
    };
    writeFileSync(files.cert, cert.toString('pem'));
    writeFileSync(files.key, keyPem, { mode: 0o600 });
    writeFileSync(files.bundle, `${keyPem}\n${cert.toString('pem')}`, { mode: 0o600 });
    return files;
  };
  const names: x509.JsonGeneralNames = [
    { type: 'ip', value: '127.0.0.1' },
    { type: 'dns', value: 'real.test' },
  ];
  return {
    caFile,
    ca: ca.toString('pem'),
    good: await issue('good', names, now - day, now + 90 * day),
    expired: await issue('expired', names, now - 90 * day, now - 3 * day),
    wrongName: await issue('wrong-name', [{ type: 'dns', value: 'other.test' }], now - day, now + 90 * day),
  };
}
