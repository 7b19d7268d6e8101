import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Entry } from '../archive.ts';
import { root } from '../root.ts';

/** Paths of the repository that the images and the compose files are made of. */
const paths = [
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
 * The files from which both images are built, as git tracks them: `docker compose build` in the unpacked folder needs
 * nothing else of the repository. Throws where this is no clone.
 */
export function imageContext(): Entry[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...paths], { cwd: root, encoding: 'utf8' });
  const files = listed.split('\0').filter((file) => file !== '' && !/\.test\.tsx?$/.test(file));
  return files.map((file) => {
    const at = path.join(root, file);
    return { name: file, mode: (statSync(at).mode & 0o100) === 0 ? 0o644 : 0o755, data: readFileSync(at) };
  });
}
