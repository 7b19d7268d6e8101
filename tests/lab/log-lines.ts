import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const entry = z.looseObject({ level: z.number(), msg: z.string() });
/** Pino's number for errors. */
const errorLevel = 50;
const maxLines = 20;

/** The distinct errors in the first controller's log, each with its count and its first line. */
export function loggedErrors(dataDir: string): Readonly<Record<string, string>> {
  const file = path.join(dataDir, 'log', 'controller.log');
  if (!existsSync(file)) return {};
  const lines = readFileSync(file, 'utf8').split('\n').flatMap(readEntry);
  const groups = [...Map.groupBy(lines, ({ msg }) => msg)].slice(0, maxLines);
  return Object.fromEntries(
    groups.map(([msg, all]) => [`log: ${msg}`, `${all.length} × ${all[0]?.line.slice(0, 300) ?? ''}`]),
  );
}

function readEntry(line: string): { readonly msg: string; readonly line: string }[] {
  try {
    const { level, msg } = entry.parse(JSON.parse(line));
    return level >= errorLevel ? [{ msg, line }] : [];
  } catch {
    return [];
  }
}
