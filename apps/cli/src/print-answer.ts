import { Fault, messageOf } from '@vantage/kernel';

/**
 * Keeps running when output is lost. A reader may close it early (`vantage --help | head`). An answer that cannot be
 * written to the disk is a failure (exit status 1). A full disk must not end `vantage up`.
 */
export function tolerateLostOutput(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    console.error(`vantage: the output cannot be written: ${error.message}`);
    process.exitCode = 1;
  });
}

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

/** Formats an object as lines `name: value`. */
function record(fields: object): string {
  const entries = Object.entries(fields);
  const width = Math.max(...entries.map(([name]) => name.length)) + 1;
  return entries.map(([name, value]) => `${`${name}:`.padEnd(width)} ${cell(value)}`).join('\n');
}

/** Formats the answer of a command: JSON, or text for people. */
export function render(answer: object, json: boolean): string {
  if (json) return JSON.stringify(answer, null, 2);
  return Array.isArray(answer) ? table(answer) : record(answer);
}

/** Writes the answer of a command to standard output. */
export function printText(text: string): void {
  console.log(text);
}

export function print(answer: object, json: boolean): void {
  printText(render(answer, json));
}

/** Formats the failure of a command: lines for people, or JSON with a `code` on which programs may rely. */
export function renderFailure(error: unknown, json: boolean): string {
  const message = messageOf(error);
  if (json) return JSON.stringify({ code: error instanceof Fault ? error.code : 'failed', message }, null, 2);
  return message
    .split('\n')
    .map((line) => `vantage: ${line}`)
    .join('\n');
}
