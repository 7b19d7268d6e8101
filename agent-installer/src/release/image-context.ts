import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ArchiveFile } from '../pack-archive.ts';
import { root } from '../root.ts';

/** The paths of the repository that the images and compose files need. */
const neededPaths = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  '.node-version',
  '.dockerignore',
  'tsconfig.base.json',
  'LICENSE',
  'CHANGELOG.md',
  'vantage',
  'docker-compose.yml',
  'libs',
  'apps',
  'docs',
  'agent-installer',
  'tests/package.json',
];

/**
 * The tracked files from which both images are built: `docker compose build` in the unpacked folder needs nothing else.
 * Throws where the folder is not a clone.
 */
export function imageContext(): ArchiveFile[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...neededPaths], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listed.split('\0').filter((file) => file !== '' && !/\.test\.tsx?$/.test(file));
  return files.map((file) => {
    const source = path.join(root, file);
    const isExecutable = (statSync(source).mode & 0o100) !== 0;
    return { name: file, mode: isExecutable ? 0o755 : 0o644, data: readFileSync(source) };
  });
}
