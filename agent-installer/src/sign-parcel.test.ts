import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readReleaseKey, readStatement, treeDigest } from '@vantage/domain';
import { afterAll, expect, test } from 'vitest';
import { packArchive } from './pack-archive.ts';
import { createReleaseKey, readPrivateKey } from './release-key.ts';
import { signParcel } from './sign-parcel.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-sign-'));
afterAll(() => rmSync(folder, { recursive: true }));

const text = (name: string, content: string, mode = 0o644) => ({ name, mode, data: Buffer.from(content) });
/** The head of an ELF file for x86-64. */
const program = Buffer.alloc(64);
program.write('\x7fELF\x02\x01\x01', 'latin1');
program.writeUInt16LE(62, 18);

test('a parcel is signed by what is in it, and the public key beside the release key verifies it', async () => {
  const file = path.join(folder, 'release.key');
  const { line } = createReleaseKey(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(`${file}.pub`, 'utf8')).toBe(`${line}\n`);
  expect(() => createReleaseKey(file)).toThrow('exists');

  const entries = [{ name: 'bin/node', mode: 0o755, data: program }, text('VERSION', '1.2.3\n')];
  const parcel = path.join(folder, 'parcel.tar.gz');
  writeFileSync(parcel, await packArchive(entries, 1));
  const statement = await signParcel(parcel, readPrivateKey(file));
  expect(statement).toMatchObject({ version: '1.2.3', arch: 'amd64', unpacked: 70 });
  expect(statement.size).toBe(statSync(parcel).size);
  expect(statement.tree).not.toBe(treeDigest([]));
  const key = readReleaseKey(line);
  expect(key && readStatement(readFileSync(`${parcel}.sig`, 'utf8'), key)).toEqual({ ok: true, statement });
});

test.each([
  ['no version', [{ name: 'bin/node', mode: 0o755, data: program }], 'there is no VERSION in it'],
  ['no program', [text('VERSION', '1.2.3')], 'there is no bin/node in it'],
  ['a version of another form', [text('VERSION', 'next')], 'accepted is for example 1.2.3'],
  ['a link', [text('VERSION', '1.2.3'), { name: 'lib', target: '/' }], 'lib is neither a file nor a folder'],
])('an archive with %s is not signed', async (_, entries, fault) => {
  const file = path.join(folder, `${Math.random()}.key`);
  createReleaseKey(file);
  const parcel = path.join(folder, 'other.tar.gz');
  writeFileSync(parcel, await packArchive(entries, 1));
  await expect(signParcel(parcel, readPrivateKey(file))).rejects.toThrow(fault);
});
