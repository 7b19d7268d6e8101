// Makes programs.json.br of a version. It contains the controller and the agent, each as one file with all packages,
// and the controller's migrations. Usage: node tests/compat/make/programs.ts CHECKOUT COMMIT (CHECKOUT has its packages
// installed)
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { type Files, pack, readFolder } from '../archive.ts';

const [checkout = '', commit = ''] = process.argv.slice(2);
if (checkout === '' || commit === '') throw new Error('usage: programs.ts CHECKOUT COMMIT');
const target = path.resolve(import.meta.dirname, '../fixtures', commit);
mkdirSync(target, { recursive: true });

const controller = await bundle('controller');
const agent = await bundle('agent');
const migrations = readFolder(path.join(checkout, 'apps/controller/src/db/migrations'));
const files: Files = {
  'controller/main.mjs': controller,
  ...Object.fromEntries(
    Object.entries(migrations).map(([file, text]) => [`controller/migrations/${file}`, text]),
  ),
  'agent/main.mjs': agent,
};
pack(path.join(target, 'programs.json.br'), files);

/**
 * One program as one module, in base64. Optional native packages stay outside, because the others work without them.
 */
async function bundle(part: 'controller' | 'agent'): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-bundle-'));
  try {
    const built = await rolldown({
      input: path.join(checkout, `apps/${part}/src/main.ts`),
      cwd: checkout,
      platform: 'node',
      external: [/\.node$/, 'cpu-features', 'pg-native'],
      logLevel: 'silent',
    });
    const file = path.join(folder, 'main.mjs');
    // CommonJS packages in the bundle use these names.
    const banner = 'const __dirname=import.meta.dirname,__filename=import.meta.filename;';
    await built.write({ file, format: 'esm', minify: true, codeSplitting: false, banner });
    await built.close();
    return readFileSync(file).toString('base64');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
