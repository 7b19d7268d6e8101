import path from 'node:path';
import { expect, test } from 'vitest';
import { brokenRules } from './import-rules/broken.ts';
import { features, filesOf } from './import-rules/feature-paths.ts';
import { isTestFile, readPackageEntries, readSources } from './import-rules/sources.ts';
import { needlessExemptions } from './import-rules/tracked-state.ts';

const root = path.resolve(import.meta.dirname, '..');

test('no source breaks a rule of CONTRIBUTING.md, every exemption is needed, and every path has its first functions', () => {
  const sources = readSources(root);
  expect(sources.length).toBeGreaterThan(50);
  expect(brokenRules(sources, readPackageEntries(root))).toEqual([]);
  for (const feature of features)
    expect(filesOf(feature, sources, readPackageEntries(root)).length).toBeGreaterThan(1);
  expect(needlessExemptions(sources.filter(({ file }) => !isTestFile(file)))).toEqual([]);
});
