import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { partFile, removeDeadParts } from './part-file.ts';

test('what killed backups to a file left is removed, and nothing else', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-parts-'));
  const dead = spawnSync(process.execPath, ['--version']).pid;
  const file = path.join(folder, 'nightly.backup');
  const kept = [
    'nightly.backup',
    path.basename(partFile(file)),
    `other.backup.${dead}.part`,
    'nightly.backup.x.part',
    `nightly.backup.${dead}.part.gz`,
  ];
  for (const name of [...kept, `nightly.backup.${dead}.part`]) writeFileSync(path.join(folder, name), 'x');
  await removeDeadParts(file);
  expect(readdirSync(folder).sort()).toEqual(kept.sort());
  await expect(removeDeadParts(path.join(folder, 'none', 'x'))).resolves.toBeUndefined();
  rmSync(folder, { recursive: true });
});
