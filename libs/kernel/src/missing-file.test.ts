import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isMissing, readIfPresent, readIfPresentSync } from './missing-file.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'vantage-missing-'));
afterAll(() => rmSync(dir, { recursive: true }));
const at = (name: string) => path.join(dir, name);

test('a file that is not there is undefined; one that cannot be read is an error', async () => {
  writeFileSync(at('file'), 'text');
  mkdirSync(at('folder'));
  symlinkSync('circle', at('circle'));
  for (const read of [readIfPresent, async (file: string) => readIfPresentSync(file)]) {
    expect(await read(at('file'))).toBe('text');
    expect(await read(at('nothing'))).toBeUndefined();
    expect(await read(at('file/below'))).toBeUndefined();
    for (const name of ['folder', 'circle']) await expect(read(at(name))).rejects.toThrow(/EISDIR|ELOOP/);
  }
});

test.each(['EMFILE', 'ENFILE', 'EACCES', 'EIO', 'EPERM'])(
  '%s does not say that a file is missing',
  (code) => {
    expect(isMissing(Object.assign(new Error(code), { code }))).toBe(false);
  },
);
