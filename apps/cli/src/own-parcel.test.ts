import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isOfVersion } from './own-parcel.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-own-parcel-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a package counts with its digest and in its version only', () => {
  const file = path.join(folder, 'a.tar.gz');
  expect(isOfVersion(file, '1.2.3')).toBe(false);
  writeFileSync(`${file}.sha256`, `${'0'.repeat(64)}  a.tar.gz\n`);
  expect(isOfVersion(file, '1.2.3')).toBe(false);
  writeFileSync(`${file}.version`, '1.2.2\n');
  expect(isOfVersion(file, '1.2.3')).toBe(false);
  writeFileSync(`${file}.version`, '1.2.3\n');
  expect(isOfVersion(file, '1.2.3')).toBe(true);
});
