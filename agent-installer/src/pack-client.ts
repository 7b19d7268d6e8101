import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import clientManifest from '../../libs/client/package.json' with { type: 'json' };
import { root } from './root.ts';

/**
 * `npm run release:client [FOLDER]` packs the client for programs outside of this repository: JavaScript, types, README
 * and licence, without workspace imports. Prints the path of the tarball.
 */
const source = path.join(root, 'libs/client');
const folder = path.resolve(process.argv[2] ?? '.');
const buildFolder = mkdtempSync(path.join(tmpdir(), 'vantage-client-'));
try {
  execFileSync(
    path.join(root, 'node_modules/.bin/tsc'),
    ['-p', path.join(source, 'tsconfig.pack.json'), '--outDir', path.join(buildFolder, 'dist')],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  cpSync(path.join(source, 'README.md'), path.join(buildFolder, 'README.md'));
  cpSync(path.join(root, 'LICENSE'), path.join(buildFolder, 'LICENSE'));
  const { name, license, type, dependencies } = clientManifest;
  const exports = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } };
  const manifest = {
    name,
    version: productVersion,
    license,
    type,
    exports,
    files: ['dist'],
    engines: { node: '>=20' },
    dependencies,
  };
  writeFileSync(path.join(buildFolder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  mkdirSync(folder, { recursive: true });
  const file = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: buildFolder,
    encoding: 'utf8',
  });
  process.stdout.write(`${path.join(folder, file.trim())}\n`);
} finally {
  rmSync(buildFolder, { recursive: true });
}
