import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { declaredStates, type StateBound } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { isTestFile, readSources } from './import-rules/sources.ts';

const root = path.resolve(import.meta.dirname, '..');
const head = `# Memory

The state that each program keeps in memory for longer than one call. \`npm run gen:docs\` generates this page from the declared bounds; a rule of \`tests/import-rules\` fails for a collection without one. The series \`vantage_state_bytes\` and \`vantage_state_bound_bytes\` show the state of a running process ([metrics.md](metrics.md)). Bounds assume entries of maximum size, so the real state is smaller. Bounds of streams and connections apply to each of them.

"One for each" means one entry for each object of this kind; [security.md](security.md), "Limits", bounds their number. Buffers for slow receivers are in [security.md](security.md), "Outgoing buffers"; [operate.md](operate.md) describes the size of the database.
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

test('docs/memory.md has each state of both programs with its bound (npm run gen:docs)', async () => {
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
