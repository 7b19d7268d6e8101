import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  compareVersions,
  isVersion,
  type ReleaseStatement,
  readReleaseKey,
  readStatement,
  releaseKeyLine,
  signStatement,
  treeDigest,
} from './release.ts';

const key = generateKeyPairSync('ed25519');
const statement: ReleaseStatement = {
  version: '1.10.0',
  arch: 'amd64',
  size: 1000,
  unpacked: 3000,
  sha256: 'a'.repeat(64),
  tree: 'b'.repeat(64),
};
const signed = signStatement(statement, key.privateKey);

test('a statement is read back with the key that signed it, through the line of the public key', () => {
  const publicKey = readReleaseKey(`${releaseKeyLine(key.publicKey)}\n`);
  expect(publicKey && readStatement(signed, publicKey)).toEqual({ ok: true, statement });
});

describe('refused is', () => {
  const changed = (part: object) => JSON.stringify({ ...JSON.parse(signed), ...part });
  test.each([
    ['another version', changed({ version: '1.11.0' }), 'not signed'],
    ['another architecture', changed({ arch: 'arm64' }), 'not signed'],
    ['another size', changed({ size: 1001 }), 'not signed'],
    ['another unpacked size', changed({ unpacked: 3001 }), 'not signed'],
    ['another parcel', changed({ sha256: 'c'.repeat(64) }), 'not signed'],
    ['other files', changed({ tree: 'c'.repeat(64) }), 'not signed'],
    ['no signature', changed({ signature: '' }), 'not signed'],
    ['a version that is a path', changed({ version: '../../1' }), 'not a signed statement'],
    ['an empty file', '', 'not a signed statement'],
  ])('a statement with %s', (_, text, fault) => {
    expect(readStatement(text, key.publicKey)).toEqual({ ok: false, fault: expect.stringContaining(fault) });
  });

  test('a statement of another key', () => {
    const other = generateKeyPairSync('ed25519');
    expect(readStatement(signed, other.publicKey).ok).toBe(false);
  });

  test('a line that is no key, and a key of another kind', () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (const line of ['', 'no key', releaseKeyLine(ec.publicKey)])
      expect(readReleaseKey(line)).toBeUndefined();
  });
});

test('versions are ordered by their numbers', () => {
  const sorted = ['0.2.0', '0.9.9', '0.10.0', '1.0.0', '1.0.10', '2.0.0'];
  expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted);
  expect(compareVersions('1.2.3', '1.2.3')).toBe(0);
  expect(['1.2', '1.2.3-rc', 'v1.2.3', '1.2.3/..', ''].filter(isVersion)).toEqual([]);
});

test('the digest of files changes with a name, a content or the right to run, and not with their order', () => {
  const a = { name: 'a', isExecutable: false, sha256: '1'.repeat(64) };
  const b = { name: 'b', isExecutable: true, sha256: '2'.repeat(64) };
  const whole = treeDigest([a, b]);
  expect(treeDigest([b, a])).toBe(whole);
  const others = [[a], [a, { ...b, name: 'c' }], [a, { ...b, isExecutable: false }]];
  for (const files of others) expect(treeDigest(files)).not.toBe(whole);
});
