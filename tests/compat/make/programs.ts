// Makes programs.json.br of a version. It contains the controller as one file with all packages, its migrations, and
// the programs of the agent as a host gets them. Usage: node tests/compat/make/programs.ts CHECKOUT COMMIT (CHECKOUT
// has its packages installed)
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { type Files, pack, readFolder } from '../archive.ts';

const [checkout = '', commit = ''] = process.argv.slice(2);
if (checkout === '' || commit === '') throw new Error('usage: programs.ts CHECKOUT COMMIT');
const target = path.resolve(import.meta.dirname, '../fixtures', commit);
mkdirSync(target, { recursive: true });

const controller = await bundle();
const migrations = readFolder(path.join(checkout, 'libs/storage/src/migrations'));
// The checkout's own bundle of the agent: its programs, which find each other by their names.
const { bundleAgent } = await import(path.resolve(checkout, 'agent-installer/src/bundle-agent.ts'));
const agent: ReadonlyMap<string, Buffer> = (await bundleAgent()).files;
const files: Files = {
  'controller/main.mjs': controller,
  // The controller looks for this package at its start. No test opens the page that shows it.
  'controller/node_modules/swagger-ui-dist/package.json': Buffer.from('{}').toString('base64'),
  ...Object.fromEntries(
    Object.entries(migrations).map(([file, text]) => [`controller/migrations/${file}`, text]),
  ),
  ...Object.fromEntries([...agent].map(([file, bytes]) => [`agent/${file}`, bytes.toString('base64')])),
};
pack(path.join(target, 'programs.json.br'), files);

/** The controller as one module, in base64. Optional native packages stay outside, because it works without them. */
async function bundle(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-bundle-'));
  try {
    const built = await rolldown({
      input: path.join(checkout, 'apps/controller/src/main.ts'),
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
