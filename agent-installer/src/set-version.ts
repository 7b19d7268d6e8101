// `npm run release:version VERSION`: sets the version of the product in every file that states it.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isVersion, productVersion } from '@vantage/domain';
import { root } from './root.ts';

const version = process.argv[2] ?? '';
if (!isVersion(version)) throw new Error(`"${version}" is no version`);
const ours = new RegExp(`("(?:version|@vantage/[a-z-]+)": )"${productVersion.replaceAll('.', '\\.')}"`, 'g');
for (const file of globSync(
  ['package.json', '{libs,apps}/*/package.json', '{agent-installer,tests}/package.json'],
  { cwd: root, exclude: ['libs/no-telemetry/package.json'] },
))
  replace(file, ours, `$1"${version}"`);
replace('libs/domain/src/version.ts', productVersion, version);

function replace(file: string, from: RegExp | string, to: string): void {
  const location = path.join(root, file);
  writeFileSync(location, readFileSync(location, 'utf8').replaceAll(from, to));
}
