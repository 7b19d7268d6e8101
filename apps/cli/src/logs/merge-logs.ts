import { type LogEntry, readLogLine } from '@vantage/kernel';

/** A line of a log, with the lines after it that are no entries of their own: the stack of a program that died. */
export interface ReadEntry extends LogEntry {
  readonly line: string;
  readonly more: readonly string[];
}

/** The entries of a log's text. Lines before its first entry belong to one that was rotated away. Pure. */
export function entriesOf(text: string): readonly ReadEntry[] {
  const entries: (LogEntry & { line: string; more: string[] })[] = [];
  for (const line of text.split('\n')) {
    const entry = readLogLine(line);
    if (entry !== undefined) entries.push({ ...entry, line, more: [] });
    else if (line.trim() !== '') entries.at(-1)?.more.push(line);
  }
  return entries;
}

/** The entries of several logs since a moment, oldest first; of those only the last `most`. Pure. */
export function mergeLogs(
  logs: readonly (readonly ReadEntry[])[],
  { fromMs, most }: { readonly fromMs: number; readonly most: number },
): readonly ReadEntry[] {
  return logs
    .flat()
    .filter(({ atMs }) => atMs >= fromMs)
    .toSorted((a, b) => a.atMs - b.atMs)
    .slice(-most);
}
