import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { brokenRules } from './import-rules/broken.ts';
import { isTestFile, readPackageEntries, readSources } from './import-rules/sources.ts';
import { testsWithoutSource } from './import-rules/test-names.ts';
import { needlessExemptions } from './import-rules/tracked-state.ts';

const root = path.resolve(import.meta.dirname, '..');
const sources = readSources(root);

test('no source breaks a rule of CONTRIBUTING.md, and every exemption is needed', () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(brokenRules(sources, readPackageEntries(root))).toEqual([]);
  expect(needlessExemptions(sources.filter(({ file }) => !isTestFile(file)))).toEqual([]);
});

test('each unit test has the name of its source', () => {
  expect(testsWithoutSource(sources, (file) => existsSync(path.join(root, file)))).toEqual([]);
});
