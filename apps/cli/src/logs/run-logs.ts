import path from 'node:path';
import { Fault, type LogEntry, logText, readIfPresentSync, readLogLine } from '@vantage/kernel';
import { printText } from '../print-answer.ts';
import type { SystemPart } from '../program-part.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';

const infoLevel = 30;
const maxEvents = 100;

/** Prints the logs of the parts on this machine, as text for people or as the original lines. */
export async function runLogs({
  dataDir,
  parts,
  fromMs,
  maxLines,
  device,
  asJson,
}: {
  readonly dataDir: string;
  readonly parts: readonly SystemPart[];
  readonly fromMs: number;
  /** Only the last lines. */
  readonly maxLines: number;
  /** Only lines about this device, and its events. */
  readonly device: { readonly access: ControllerAccess; readonly name: string } | undefined;
  readonly asJson: boolean;
}): Promise<void> {
  const logs = parts.map((part) => readLog(path.join(dataDir, 'log', `${part}.log`)));
  if (device === undefined && logs.every((log) => log === undefined))
    throw new Fault(
      'stop',
      'missing',
      `${path.join(dataDir, 'log')} has no log. VANTAGE_DATA must be the folder of a system that "vantage up" runs. A part that runs alone logs to standard error: use "journalctl -u vantage", "vantage-agent logs" or "docker logs"`,
    );
  const allEntries = logs.map((log) => log ?? []);
  const entries = device === undefined ? allEntries : await entriesOfDevice(allEntries, device, fromMs);
  for (const entry of mergeLogs(entries, { fromMs, maxLines }))
    printText([asJson ? entry.line : logText(entry), ...entry.more].join('\n'));
}

/** A log with its rotated predecessor; undefined where neither exists. */
function readLog(file: string): readonly ReadEntry[] | undefined {
  const [before, now] = [`${file}.1`, file].map(readIfPresentSync);
  return before === undefined && now === undefined ? undefined : entriesOf(`${before ?? ''}${now ?? ''}`);
}

async function entriesOfDevice(
  logs: readonly (readonly ReadEntry[])[],
  { access, name }: { readonly access: ControllerAccess; readonly name: string },
  fromMs: number,
): Promise<readonly (readonly ReadEntry[])[]> {
  const { readDeviceEvents } = await import('../remote/run-events.ts');
  const { id, events } = await readDeviceEvents(access, name, { fromMs, maxEvents });
  const aboutDevice = logs.map((log) => log.filter(({ line }) => line.includes(id)));
  return [...aboutDevice, events.map(({ atMs, text, event }) => eventEntry(atMs, text, event))];
}

function eventEntry(atMs: number, msg: string, event: object): ReadEntry {
  const fields = { name: 'event', msg };
  const line = JSON.stringify({ level: infoLevel, time: new Date(atMs).toISOString(), ...fields, event });
  return { atMs, level: infoLevel, fields, line, more: [] };
}

/** An entry of a log, with the following lines that are not entries: the stack of a program that died. */
interface ReadEntry extends LogEntry {
  readonly line: string;
  readonly more: readonly string[];
}

/** The entries of a log. Lines before the first entry belong to a rotated log. Pure. */
export function entriesOf(text: string): readonly ReadEntry[] {
  const entries: (LogEntry & { line: string; more: string[] })[] = [];
  for (const line of text.split('\n')) {
    const entry = readLogLine(line);
    if (entry !== undefined) entries.push({ ...entry, line, more: [] });
    else if (line.trim() !== '') entries.at(-1)?.more.push(line);
  }
  return entries;
}

/** Merges logs, oldest entry first, and keeps the last `maxLines`. Pure. */
export function mergeLogs(
  logs: readonly (readonly ReadEntry[])[],
  { fromMs, maxLines }: { readonly fromMs: number; readonly maxLines: number },
): readonly ReadEntry[] {
  return logs
    .flat()
    .filter(({ atMs }) => atMs >= fromMs)
    .toSorted((a, b) => a.atMs - b.atMs)
    .slice(-maxLines);
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses `--since`: `30m` before now, or a time in ISO form. Returns milliseconds since 1970. Pure. */
export function sinceMs(text: string, nowMs: number): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const atMs =
    count === undefined
      ? /^\d{4}-\d\d-\d\d/.test(text)
        ? Date.parse(text)
        : Number.NaN
      : nowMs - Number(count) * (units[unit] ?? 0);
  if (!Number.isFinite(atMs))
    throw new Fault(
      'stop',
      'settings',
      `--since ${text} is not a time; accepted are for example 30m, 2h, 7d and 2026-03-01T10:00 (local time)`,
    );
  return atMs;
}
