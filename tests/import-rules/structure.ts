import path from 'node:path';
import { stepOf } from './controller-steps.ts';
import { type Feature, features, filesOf } from './feature-paths.ts';
import { functionSizes } from './function-sizes.ts';
import { importsOf } from './imports.ts';
import { isTestFile, readPackageEntries, readSources, type Source } from './sources.ts';

/** One folder of the repository with the tests that stand in it. */
interface Row {
  readonly folder: string;
  readonly files: number;
  readonly lines: number;
  /** Lines of the longest file, function and factory; 0 when there is none. */
  readonly longestFile: number;
  readonly longestFunction: number;
  readonly longestFactory: number;
}

const headings = ['folder', 'files', 'lines', 'longest file', 'longest function', 'longest factory'];

/** The structure as a Markdown table: a row for each folder, sorted by name, and the sums and maxima of all. */
export function structureTable(sources: readonly Source[]): string {
  const folders = Map.groupBy(sources, ({ file }) => folderOf(file));
  const rows = [...folders]
    .map(([folder, inside]) => measure(folder, inside))
    .sort((a, b) => (a.folder < b.folder ? -1 : 1));
  return table(
    headings,
    [...rows, measure('all', sources)].map((row) => Object.values(row)),
  );
}

/** Files of at most so many lines are small. */
const smallLines = 40;

/**
 * How many files a reader opens, as a Markdown table: the production files, their lines, those that one other
 * production file imports, the small ones among these, and the files on the path of each feature. Imports of types
 * count; generated code does not.
 */
export function doorsTable(
  sources: readonly Source[],
  entries: ReadonlyMap<string, string>,
  followed: readonly Feature[] = features,
): string {
  const production = sources.filter(({ file }) => !isTestFile(file));
  const importers = new Map<string, Set<string>>(production.map(({ file }) => [file, new Set()]));
  for (const source of production)
    for (const { name } of importsOf(source)) {
      const target = name.startsWith('.')
        ? path.posix.join(path.posix.dirname(source.file), name)
        : entries.get(name);
      if (target !== undefined) importers.get(target)?.add(source.file);
    }
  const used = production.filter(({ file }) => importers.get(file)?.size === 1);
  return table(
    ['production', 'count'],
    [
      ['files', production.length],
      ['lines', production.reduce((sum, source) => sum + linesOf(source), 0)],
      ['files with one importer', used.length],
      [
        `of these with at most ${smallLines} lines`,
        used.filter((source) => linesOf(source) <= smallLines).length,
      ],
      ...followed.map((feature) => [
        `files on the path: ${feature.name}`,
        filesOf(feature, sources, entries).length,
      ]),
    ],
  );
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (values: readonly (string | number)[]) => `| ${values.join(' | ')} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

function linesOf({ text }: Source): number {
  return text.split('\n').length - 1;
}

function measure(folder: string, sources: readonly Source[]): Row {
  const lines = sources.map(linesOf);
  const sizes = sources.flatMap(functionSizes);
  const longest = (kind: 'function' | 'factory') =>
    Math.max(0, ...sizes.filter((size) => size.kind === kind).map((size) => size.lines));
  return {
    folder,
    files: sources.length,
    lines: lines.reduce((sum, count) => sum + count, 0),
    longestFile: Math.max(0, ...lines),
    longestFunction: longest('function'),
    longestFactory: longest('factory'),
  };
}

/**
 * A step of the controller (`apps/controller/src/status/health`), or a folder of an app (`apps/agent/src/outbox`), with
 * all files below it; `libs/kernel/src` with the files that stand there; `tests/chaos`.
 */
function folderOf(file: string): string {
  const folder = path.posix.dirname(file);
  const step = stepOf(file);
  if (step !== undefined) return folder.slice(0, folder.indexOf(`/${step}`) + step.length + 1);
  return folder
    .split('/')
    .slice(0, file.startsWith('tests/') ? 2 : 4)
    .join('/');
}

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, '../..');
  const sources = readSources(root);
  console.log(`${structureTable(sources)}\n\n${doorsTable(sources, readPackageEntries(root))}`);
}
