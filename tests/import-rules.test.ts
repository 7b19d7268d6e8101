import path from 'node:path';
import { expect, test } from 'vitest';
import { brokenRules } from './import-rules/broken.ts';
import { isTestFile, readPackageEntries, readSources } from './import-rules/sources.ts';
import { needlessExemptions } from './import-rules/tracked-state.ts';

const root = path.resolve(import.meta.dirname, '..');

test('no source breaks a rule of CONTRIBUTING.md, and every exemption is needed', () => {
  const sources = readSources(root);
  expect(sources.length).toBeGreaterThan(50);
  expect(brokenRules(sources, readPackageEntries(root))).toEqual([]);
  expect(needlessExemptions(sources.filter(({ file }) => !isTestFile(file)))).toEqual([]);
});
