import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DeclaredShare, declaredShares } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { definitions, ofOneOwner, places, statements } from './import-rules/shared-things.ts';
import { isTestFile, readSources } from './import-rules/sources.ts';

const root = path.resolve(import.meta.dirname, '..');
const head = `# Shares

The resources that accounts, addresses and agents share, and the maximum share of each of them. \`npm run gen:docs\` generates this page from the declarations (\`declareShare\`) next to each mechanism. A test fails for a pool, semaphore or queue without a declaration, and for a statement without one that selects the next rows of many owners. [memory.md](memory.md) has the bounds in bytes, [security.md](security.md) the limits with their tests.

An address is an IPv4 address or an IPv6 network of 64 bits. Waiting requests are bounded, too; beyond that bound a request is refused.

| resource | total | filled by | maximum share | file |
|---|---|---|---|---|
`;
const declares = /\bdeclareShare\(\{\s*name: '(\w+)'/g;
const sources = readSources(root).filter(({ file }) => !isTestFile(file) && !file.includes('/testing/'));
const namesIn = (text: string) => [...text.matchAll(declares)].map(([, name = '']) => name);

test('docs/shares.md has each share of the programs (npm run gen:docs)', async () => {
  const files = new Map<string, string>();
  for (const { file, text } of sources) {
    const names = namesIn(text);
    if (names.length > 0) await import(pathToFileURL(path.join(root, file)).href);
    for (const name of names) {
      expect(files.get(name), `${name} is declared twice`).toBeUndefined();
      files.set(name, file);
    }
  }
  const row = ({ name, limit, filledBy, share }: DeclaredShare) =>
    `| \`${name}\` | ${limit} | ${filledBy} | ${share} | \`${files.get(name)}\` |\n`;
  await expect(`${head}${declaredShares().map(row).join('')}`).toMatchFileSnapshot('../docs/shares.md');
});

test('each pool, semaphore and queue has a row beside it', () => {
  const lacking = sources.flatMap(({ file, text }) => {
    const made = definitions.has(file) ? 0 : [...text.matchAll(places)].length;
    const rows = namesIn(text).length;
    return rows < made ? [`${file} makes ${made} and declares ${rows}`] : [];
  });
  expect(lacking).toEqual([]);
});

test('each statement that takes some of many rows has a row beside it, or is of one owner', () => {
  const taking = sources.filter(({ text }) => statements.some((one) => one.test(text)));
  const lacking = taking.filter(({ file, text }) => namesIn(text).length === 0 && !ofOneOwner.has(file));
  expect(lacking.map(({ file }) => file)).toEqual([]);
  const files = new Set(taking.map(({ file }) => file));
  expect(
    [...ofOneOwner.keys()].filter((file) => !files.has(file)),
    'exemptions that nothing needs',
  ).toEqual([]);
});

test.each([
  ['a semaphore', 'const places = createSemaphore({ running: 1, waiting: 4 });'],
  ['a fair one', 'createFairSemaphore<string>(limits)'],
  ['a pool', 'new pg.Pool({ max: 3 })'],
  ['a queue', 'const box = createMailbox<Message>(100);'],
])('the search finds %s', (_, text) => {
  expect([...text.matchAll(places)]).toHaveLength(1);
});

const placeholder = '$'.concat('{most}');

test.each([
  ['a claim', `select no from due order by due_us limit ${placeholder} for update skip locked`],
  [
    'the next due rows',
    `select alert_no from alerts where due_us <= now order by due_us limit ${placeholder}`,
  ],
  ['those of the query builder', ".orderBy('due_us').limit(limit)"],
])('the search finds %s', (_, text) => {
  expect(statements.some((one) => one.test(text))).toBe(true);
});
