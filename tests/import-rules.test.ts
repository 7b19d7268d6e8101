import path from 'node:path';
import { expect, test } from 'vitest';
import { brokenRules } from './import-rules/broken.ts';
import { compareWithKnown } from './import-rules/known.ts';
import { knownOffences } from './import-rules/known-offences.ts';
import { isTestFile, readPackageEntries, readSources } from './import-rules/sources.ts';
import { needlessExemptions } from './import-rules/tracked-state.ts';

const root = path.resolve(import.meta.dirname, '..');

test('no source breaks a rule of CONTRIBUTING.md, and every known offence still stands', () => {
  const sources = readSources(root);
  expect(sources.length).toBeGreaterThan(50);
  const broken = brokenRules(sources, readPackageEntries(root));
  expect(compareWithKnown(broken, knownOffences)).toEqual({ unknown: [], needless: [] });
  expect(needlessExemptions(sources.filter(({ file }) => !isTestFile(file)))).toEqual([]);
});
