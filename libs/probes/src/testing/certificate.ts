import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { dayMs } from '@vantage/domain';

export interface CertificateSettings {
  /** DNS names and IPv4 addresses. The first is also the subject. */
  readonly names?: readonly string[];
  /** Days from now. Default: from yesterday for 91 days. */
  readonly fromDays?: number;
  readonly toDays?: number;
  /** The issuer. Default: self-signed. */
  readonly issuer?: TestCertificate;
}

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
  readonly subject: string;
  readonly privateKey: KeyObject;
}

/** Creates an X.509 CA certificate (RFC 5280) with a new P-256 key, by default self-signed for 127.0.0.1. */
export function makeCertificate(settings: CertificateSettings = {}): TestCertificate {
  const { names = ['127.0.0.1'], fromDays = -1, toDays = 90, issuer } = settings;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = names[0] ?? 'nobody';
  const algorithm = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
  const body = sequence(
    tag(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    name(issuer?.subject ?? subject),
    sequence(time(fromDays), time(toDays)),
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(extension([0x55, 0x1d, 0x13], sequence(tag(0x01, Buffer.of(0xff)))), altNames(names))),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  const der = sequence(body, algorithm, tag(0x03, Buffer.concat([Buffer.of(0), signature])));
  // No line break at the end, because OpenSSL takes a blank line for the end of headers.
  const lines = (der.toString('base64').match(/.{1,64}/g) ?? []).join('\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    subject,
    privateKey,
  };
}

function tag(number: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(number, ...size), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts));
}

function integer(bytes: Buffer): Buffer {
  return tag(0x02, bytes);
}

function oid(bytes: readonly number[]): Buffer {
  return tag(0x06, Buffer.from(bytes));
}

function name(common: string): Buffer {
  return sequence(tag(0x31, sequence(oid([0x55, 0x04, 0x03]), tag(0x0c, Buffer.from(common)))));
}

function time(days: number): Buffer {
  const text = new Date(Date.now() + days * dayMs).toISOString().replace(/[-:T]|\.\d+/g, '');
  return tag(0x18, Buffer.from(text));
}

function extension(id: readonly number[], content: Buffer): Buffer {
  return sequence(oid(id), tag(0x04, content));
}

function altNames(names: readonly string[]): Buffer {
  const entries = names.map((altName) =>
    isIPv4(altName)
      ? tag(0x87, Buffer.from(altName.split('.').map(Number)))
      : tag(0x82, Buffer.from(altName)),
  );
  return extension([0x55, 0x1d, 0x11], sequence(...entries));
}
