import { Fault, messageOf } from '@vantage/kernel';

/** Ignores that a reader closes our output early (`vantage --help | head`): the rest is lost, and that is no failure. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}

/** Formats a value of a row for people. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString().slice(0, 19).concat('Z');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Formats rows as an aligned table with a header; `none` for no rows. */
function table(rows: readonly object[]): string {
  const [first] = rows;
  if (!first) return 'none';
  const columns = Object.keys(first);
  const lines = [columns, ...rows.map((row) => Object.values(row).map(cell))];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats one thing as lines `name: value`. */
function record(thing: object): string {
  const entries = Object.entries(thing);
  const width = Math.max(...entries.map(([name]) => name.length)) + 1;
  return entries.map(([name, value]) => `${`${name}:`.padEnd(width)} ${cell(value)}`).join('\n');
}

/** Formats the answer of a command: JSON, or text for people. */
export function render(answer: object, json: boolean): string {
  if (json) return JSON.stringify(answer, null, 2);
  return Array.isArray(answer) ? table(answer) : record(answer);
}

/** Formats the failure of a command: JSON (programs may rely on `code`), or lines for people. */
export function renderFailure(error: unknown, json: boolean): string {
  const message = messageOf(error);
  if (json) return JSON.stringify({ code: error instanceof Fault ? error.code : 'failed', message }, null, 2);
  return message
    .split('\n')
    .map((line) => `vantage: ${line}`)
    .join('\n');
}
