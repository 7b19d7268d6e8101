import path from 'node:path';
import { stepOf } from './controller-steps.ts';
import { functionSizes } from './function-sizes.ts';
import { readSources, type Source } from './sources.ts';

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
  const cells = [...rows, measure('all', sources)].map((row) => Object.values(row).map(String));
  const line = (values: readonly string[]) => `| ${values.join(' | ')} |`;
  return [
    line(headings),
    line(headings.map((_, at) => (at === 0 ? '---' : '---:'))),
    ...cells.map(line),
  ].join('\n');
}

function measure(folder: string, sources: readonly Source[]): Row {
  const lines = sources.map(({ text }) => text.split('\n').length - 1);
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

if (import.meta.main) console.log(structureTable(readSources(path.resolve(import.meta.dirname, '../..'))));
