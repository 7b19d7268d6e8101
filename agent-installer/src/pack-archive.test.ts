import { execFileSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { packArchive } from './pack-archive.ts';

const entries = [
  { name: 'lib/b.mjs', mode: 0o644, data: Buffer.from('b') },
  { name: 'bin/deep/a', mode: 0o755, data: Buffer.from('aa') },
  { name: 'link', target: 'bin/deep/a' },
];

test('tar reads the archive: folders before their files, the modes as given, everything of root', async () => {
  const packed = await packArchive(entries);
  const options = { input: packed, encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } } as const;
  const listed = execFileSync('tar', ['-tzv', '--numeric-owner'], options);
  expect(
    listed
      .trim()
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ')),
  ).toEqual([
    'drwxr-xr-x 0/0 0 2026-01-01 00:00 bin/',
    'drwxr-xr-x 0/0 0 2026-01-01 00:00 bin/deep/',
    '-rwxr-xr-x 0/0 2 2026-01-01 00:00 bin/deep/a',
    'drwxr-xr-x 0/0 0 2026-01-01 00:00 lib/',
    '-rw-r--r-- 0/0 1 2026-01-01 00:00 lib/b.mjs',
    'lrwxrwxrwx 0/0 0 2026-01-01 00:00 link -> bin/deep/a',
  ]);
});

test('the same entries in another sequence give the same bytes', async () => {
  const packed = await packArchive(entries);
  expect(await packArchive([...entries].reverse())).toEqual(packed);
  expect(gunzipSync(packed).subarray(-1024)).toEqual(Buffer.alloc(1024));
});
