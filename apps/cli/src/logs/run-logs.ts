import path from 'node:path';
import { Fault, logText, readIfPresentSync } from '@vantage/kernel';
import { printText } from '../output.ts';
import type { Part } from '../part.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';
import { entriesOf, mergeLogs, type ReadEntry } from './merge-logs.ts';

const infoLevel = 30;
const mostEvents = 100;

/** Prints the logs of the parts on this machine, text for people or the lines as they are. */
export async function runLogs({
  dataDir,
  parts,
  fromMs,
  most,
  device,
  asJson,
}: {
  readonly dataDir: string;
  readonly parts: readonly Part[];
  readonly fromMs: number;
  /** No more than so many of the last lines. */
  readonly most: number;
  /** Only what is about this device, and its events. */
  readonly device: { readonly access: ControllerAccess; readonly name: string } | undefined;
  readonly asJson: boolean;
}): Promise<void> {
  const logs = parts.map((part) => readLog(path.join(dataDir, 'log', `${part}.log`)));
  if (device === undefined && logs.every((log) => log === undefined))
    throw new Fault(
      'stop',
      'missing',
      `${path.join(dataDir, 'log')} has no log. VANTAGE_DATA names the folder of a system that "vantage up" runs. A part that runs alone writes to its standard error: "journalctl -u vantage", "vantage-agent logs" or "docker logs" shows it`,
    );
  const read = logs.map((log) => log ?? []);
  const asked = device === undefined ? read : await ofDevice(read, device, fromMs);
  for (const entry of mergeLogs(asked, { fromMs, most }))
    printText([asJson ? entry.line : logText(entry), ...entry.more].join('\n'));
}

/** A log with the one that was rotated away; undefined: there is none. */
function readLog(file: string): readonly ReadEntry[] | undefined {
  const [before, now] = [`${file}.1`, file].map(readIfPresentSync);
  return before === undefined && now === undefined ? undefined : entriesOf(`${before ?? ''}${now ?? ''}`);
}

async function ofDevice(
  logs: readonly (readonly ReadEntry[])[],
  { access, name }: { readonly access: ControllerAccess; readonly name: string },
  fromMs: number,
): Promise<readonly (readonly ReadEntry[])[]> {
  const { readDeviceEvents } = await import('../remote/device-events.ts');
  const { id, events } = await readDeviceEvents(access, name, { fromMs, most: mostEvents });
  const about = logs.map((log) => log.filter(({ line }) => line.includes(id)));
  return [...about, events.map(({ atMs, text, event }) => eventEntry(atMs, text, event))];
}

function eventEntry(atMs: number, msg: string, event: object): ReadEntry {
  const fields = { name: 'event', msg };
  const line = JSON.stringify({ level: infoLevel, time: new Date(atMs).toISOString(), ...fields, event });
  return { atMs, level: infoLevel, fields, line, more: [] };
}
