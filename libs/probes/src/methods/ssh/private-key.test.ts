import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { registry } from '../../engine/registry.ts';
import { keyProblems } from './key-problems.ts';
import { looksLikeKey } from './private-key.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const sec1 = privateKey.export({ type: 'sec1', format: 'pem' }).toString();
const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const lock = { cipher: 'aes-256-cbc', passphrase: 'secret' };
const locked = privateKey.export({ type: 'sec1', format: 'pem', ...lock }).toString();
const lockedPkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem', ...lock }).toString();
const publicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** The text of an encrypted OpenSSH key up to its rounds. */
function openssh(rounds: number): string {
  const part = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const count = Buffer.alloc(4);
  count.writeUInt32BE(rounds);
  const kdf = Buffer.concat([part(Buffer.alloc(16)), count]);
  const bytes = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    part(Buffer.from('aes256-ctr')),
    part(Buffer.from('bcrypt')),
    part(kdf),
  ]);
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${bytes.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

const ssh = (options: object) => keyProblems(registry.SSH, options).map(({ message }) => message);
const tls = (key: string) => keyProblems(registry.HTTP, { TLS: { ClientKey: key } });

const reference = (kind: string) => ['$', '{', kind, ':KEY}'].join('');

test.each([sec1, sec1.replaceAll('\n', '\r\n'), reference('secret'), reference('local')])(
  '%j is taken',
  (key) => {
    expect(ssh({ PrivateKey: key })).toEqual([]);
    expect(tls(key)).toEqual([]);
  },
);

test('an encrypted key needs its passphrase, and is not opened', () => {
  expect(ssh({ PrivateKey: locked })).toEqual(['is encrypted: send its Passphrase too']);
  expect(ssh({ PrivateKey: locked, Passphrase: 'wrong' })).toEqual([]);
  expect(tls(locked)).toEqual([{ path: 'TLS.ClientKey', message: expect.stringContaining('is encrypted') }]);
  expect(tls(lockedPkcs8)).toHaveLength(1);
});

test.each([
  'nonsense',
  publicKey,
  sec1.replace('EC', 'XY'),
  sec1.slice(0, -30),
  `${sec1}x`,
  'ssh-ed25519 AAAA',
])('%j is no private key', (key) => {
  expect(ssh({ PrivateKey: key })).toEqual([expect.stringContaining('is no private key')]);
  expect(tls(key)).toEqual([
    { path: 'TLS.ClientKey', message: expect.stringContaining('is no private key') },
  ]);
});

test('a key for SSH must be in a form that is read, a key for TLS may be in PKCS#8', () => {
  expect(ssh({ PrivateKey: pkcs8 })).toEqual([expect.stringContaining('PKCS#8')]);
  expect(tls(pkcs8)).toEqual([]);
});

test('a key that takes hours to open is refused unopened', () => {
  expect(ssh({ PrivateKey: openssh(4_000_000), Passphrase: 'x' })).toEqual([
    expect.stringContaining('64 rounds'),
  ]);
  expect(looksLikeKey(openssh(4_000_000))).toBe(false);
});

test('keys that ssh-keygen makes are taken', ({ skip }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-key-'));
  try {
    for (const [type, phrase] of [
      ['ed25519', ''],
      ['ecdsa', 'secret'],
    ] as const) {
      const file = path.join(folder, type);
      try {
        execFileSync('ssh-keygen', ['-q', '-t', type, '-N', phrase, '-f', file]);
      } catch {
        skip(true, 'ssh-keygen is not installed');
      }
      const PrivateKey = readFileSync(file, 'utf8');
      expect(looksLikeKey(PrivateKey)).toBe(true);
      expect(ssh({ PrivateKey, ...(phrase !== '' && { Passphrase: phrase }) })).toEqual([]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
