// Builds the page into dist/. `npm start` gives the hash of the sources, by which it knows the next time that nothing
// changed.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import config from './vite.config.ts';

const root = import.meta.dirname;
const dist = path.join(root, 'dist');
const made = path.join(root, `dist.${process.pid}`);
const replaced = `${made}.old`;

const [hash] = process.argv.slice(2);
// Under NODE_ENV=test (a controller in a test builds the page) vite would add the file and line of each element.
process.env['NODE_ENV'] = 'production';
mkdirSync(made, { recursive: true });
try {
  const options = { ...config.build, outDir: made };
  await build({ ...config, configFile: false, root, logLevel: 'warn', build: options });
  if (hash !== undefined) writeFileSync(path.join(made, '.sources'), hash);
  try {
    renameSync(dist, replaced);
  } catch (error) {
    // There is none yet.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  renameSync(made, dist);
} finally {
  for (const folder of [made, replaced]) rmSync(folder, { recursive: true, force: true });
}
