import path from 'node:path';
import { expect, test } from 'vitest';
import { brokenRules } from './import-rules/broken.ts';
import { offenceOf } from './import-rules/known.ts';
import { knownOffences } from './import-rules/known-offences.ts';
import { readPackageEntries, readSources } from './import-rules/sources.ts';

const root = path.resolve(import.meta.dirname, '..');

test('no source breaks a rule of CONTRIBUTING.md', { timeout: 60_000 }, () => {
  const sources = readSources(root);
  expect(sources.length).toBeGreaterThan(50);
  const broken = brokenRules(sources, readPackageEntries(root));
  expect(broken.filter((sentence) => !knownOffences.has(offenceOf(sentence)))).toEqual([]);
});
