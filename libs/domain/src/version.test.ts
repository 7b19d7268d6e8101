import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isVersion, productVersion } from './index.ts';

test('the version is one that agents can compare, and package.json does not state another', () => {
  expect(isVersion(productVersion)).toBe(true);
  const about: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(about).not.toHaveProperty('version');
});
