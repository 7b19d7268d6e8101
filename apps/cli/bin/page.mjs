// Builds the dashboard before a start when its sources have changed. Plain JavaScript without dependencies, for any
// Node from 18 on.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The file with the hash of the sources, in the built dashboard. */
const stampFile = 'apps/dashboard/dist/.sources';
const folders = ['apps/dashboard/src', 'apps/dashboard/public', 'libs/client/src'];
const files = [
  ...['index.html', 'build.ts', 'vite.config.ts'].map((name) => `apps/dashboard/${name}`),
  'package-lock.json',
  // The editor of scripts completes its names.
  'docs/script/vantage-script.d.ts',
];

/** Builds the dashboard unless it is up to date. A failure is only reported, because the API works without it. */
export function buildPage({ root, node, say }) {
  if (isPageBuilt(root)) return;
  if (!existsSync(path.join(root, 'node_modules/vite')))
    return say('the page is not built: the development packages are missing (npm ci installs them)');
  say('building the page, because its sources changed');
  const from = Date.now();
  const script = path.join(root, 'apps/dashboard/build.ts');
  const built = spawnSync(node, [script, hashOf(root)], { encoding: 'utf8', timeout: 120_000 });
  if (built.status === 0) return say(`the page is built (${((Date.now() - from) / 1000).toFixed(1)} s)`);
  const reason = `${built.stderr ?? built.error ?? ''}`.trim().slice(-2_000);
  say(`the page could not be built; "npm run build" shows the reason\n${reason}`.trim());
}

export function isPageBuilt(root) {
  return builtOf(root) === hashOf(root);
}

function hashOf(root) {
  const hash = createHash('sha256');
  const sources = folders
    .flatMap((folder) => filesIn(root, folder))
    .filter((file) => !/\.test\.tsx?$/.test(file));
  for (const file of [...sources, ...files])
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

function builtOf(root) {
  try {
    return readFileSync(path.join(root, stampFile), 'utf8');
  } catch {
    return undefined; // not built yet
  }
}

function filesIn(root, folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const name = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesIn(root, name) : [name];
    })
    .sort((a, b) => (a < b ? -1 : 1));
}
