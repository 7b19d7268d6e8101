import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isVersion, productVersion } from './index.ts';

const root = path.resolve(import.meta.dirname, '../../..');
/** `libs/no-telemetry` stands in for a package of somebody else. */
const files = globSync(
  ['package.json', '{libs,apps}/*/package.json', '{agent-installer,tests}/package.json'],
  {
    cwd: root,
    exclude: ['libs/no-telemetry/package.json'],
  },
);

test('the version is one that agents can compare', () => {
  expect(isVersion(productVersion)).toBe(true);
});

test.each(files)('%s states the version of the product', (file) => {
  expect(JSON.parse(readFileSync(path.join(root, file), 'utf8'))).toMatchObject({ version: productVersion });
});
