import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { declaredStates, type StateBound } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { isTestFile, readSources } from './import-rules/sources.ts';

const root = path.resolve(import.meta.dirname, '..');
const head = `# Memory

Everything that a program remembers for longer than one call, by program. A rule of \`tests/import-rules\` finds each collection that has no bound; this page is made of those bounds (\`npm run generate:memory\`). The series \`vantage_state_bytes\` and \`vantage_state_bound_bytes\` show them of a running process ([metrics.md](metrics.md)). Bytes are those of the greatest entry, so a state takes less. A bound of streams and connections holds for each of them.

"One for each" means: as many as there are things of this kind, whose number has a bound of its own ([security.md](security.md), "Limits"). Buffers on the way to a slow receiver are in [security.md](security.md), "What waits to go out"; the rows of the database are in [operate.md](operate.md).
`;
const declares = /\bdeclareState\(/;

/** The programs that have a source, as the page names them. */
function programOf(file: string): string {
  if (file.startsWith('apps/controller/')) return 'Controller';
  return file.startsWith('apps/agent/') ? 'Agent' : 'Both, or a library of theirs';
}

function row({ name, entries, entryBytes, filledBy, atBound }: StateBound, file: string): string {
  const most =
    typeof entries === 'number'
      ? `${entryBytes === 1 ? '' : `${entries.toLocaleString('en-US')} × ${inBytes(entryBytes)} = `}${inBytes(entries * entryBytes)}`
      : `${inBytes(entryBytes)}, one for each ${entries.each}`;
  return `| \`${name}\` | ${most} | ${filledBy} | ${atBound} | \`${file}\` |`;
}

function inBytes(bytes: number): string {
  if (bytes < 10_240) return `${bytes.toLocaleString('en-US')} B`;
  return bytes < 10 * 1_048_576
    ? `${Math.round(bytes / 1_024).toLocaleString('en-US')} KiB`
    : `${Math.round(bytes / 1_048_576).toLocaleString('en-US')} MiB`;
}

test('docs/memory.md has each state of both programs with its bound (npm run generate:memory)', async () => {
  const sources = readSources(root).filter(({ file, text }) => !isTestFile(file) && declares.test(text));
  const rows = new Map<string, string[]>();
  const known = new Set<string>();
  for (const { file } of sources) {
    await import(pathToFileURL(path.join(root, file)).href);
    for (const state of declaredStates()) {
      if (known.has(state.name)) continue;
      // A module's imports declare theirs with it; each belongs to the file that names it.
      const own = sources.find(({ text }) => text.includes(`name: '${state.name}'`))?.file ?? file;
      known.add(state.name);
      rows.set(programOf(own), [...(rows.get(programOf(own)) ?? []), row(state, own)]);
    }
  }
  const parts = ['Controller', 'Agent', 'Both, or a library of theirs'].map((program) =>
    [
      `## ${program}\n`,
      '| state | bound | filled by | at the bound | file |',
      '|---|---|---|---|---|',
      ...(rows.get(program) ?? []).sort(),
    ].join('\n'),
  );
  await expect(`${head}\n${parts.join('\n\n')}\n`).toMatchFileSnapshot('../docs/memory.md');
  const names = sources.flatMap(({ text }) => [...text.matchAll(/declareState\(\{\s*name: '(\w+)'/g)]);
  expect(new Set(names.map(([, name]) => name)).size).toBe(names.length);
});
