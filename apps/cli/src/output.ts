import { Fault, messageOf } from '@vantage/kernel';

/**
 * Goes on when output is lost. A reader that closes it early (`vantage --help | head`) is no failure; an answer that a
 * disk refuses is one (exit status 1). A disk that refuses the lines of `vantage up` must not end what runs.
 */
export function tolerateLostOutput(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    console.error(`vantage: the output cannot be written: ${error.message}`);
    process.exitCode = 1;
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

/** Writes a text to standard output, which is where the answer of a command goes. */
export function printText(text: string): void {
  console.log(text);
}

/** Writes the answer of a command: JSON, or text for people. */
export function print(answer: object, json: boolean): void {
  printText(render(answer, json));
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
