import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import about from '../../libs/client/package.json' with { type: 'json' };
import { root } from './root.ts';

/**
 * `npm run pack:client [FOLDER]`: the client as a package for programs outside of this repository: JavaScript, types,
 * README and licence, without workspace imports. Prints the path of the tarball.
 */
const source = path.join(root, 'libs/client');
const folder = path.resolve(process.argv[2] ?? '.');
const made = mkdtempSync(path.join(tmpdir(), 'vantage-client-'));
try {
  execFileSync(
    path.join(root, 'node_modules/.bin/tsc'),
    ['-p', path.join(source, 'tsconfig.pack.json'), '--outDir', path.join(made, 'dist')],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  cpSync(path.join(source, 'README.md'), path.join(made, 'README.md'));
  cpSync(path.join(root, 'LICENSE'), path.join(made, 'LICENSE'));
  const { name, license, type, dependencies } = about;
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
  writeFileSync(path.join(made, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  mkdirSync(folder, { recursive: true });
  const file = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: made,
    encoding: 'utf8',
  });
  process.stdout.write(`${path.join(folder, file.trim())}\n`);
} finally {
  rmSync(made, { recursive: true });
}
