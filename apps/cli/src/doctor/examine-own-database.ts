import path from 'node:path';
import { messageOf, parseJson, readIfPresentSync } from '@vantage/kernel';
import { z } from 'zod';
import { startAdmin } from '../admin-process.ts';
import type { ControllerFinding } from './controller-finding.ts';

/** The file that `vantage database copy` leaves for controllers. `to` is `embedded` or a URL. */
const moved = z.object({ from: z.string(), to: z.string(), name: z.string() });

/** A database that needs longer hangs. */
const maxWaitMs = 20_000;

const step = 'database';

/**
 * Examines the database of VANTAGE_DATABASE_URL or its replacement, its replicas, and the database of
 * VANTAGE_DATABASE_READ_URL. `/readyz` examines the embedded database. Never rejects.
 */
export async function examineDatabase(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<readonly ControllerFinding[]> {
  const { url, target } = databaseInUse(folder, settings);
  const findings: ControllerFinding[] = target === undefined ? [] : [movedTo(target)];
  if (url === undefined || url === 'embedded') return findings;
  return [...findings, ...(await examine(url, settings['VANTAGE_DATABASE_READ_URL']))];
}

/**
 * The database of VANTAGE_DATABASE_URL, or the one that replaced it, which `target` names. `embedded` or undefined: the
 * embedded one.
 */
export function databaseInUse(
  folder: string,
  settings: Readonly<Record<string, string>>,
): { readonly url: string | undefined; readonly target: z.output<typeof moved> | undefined } {
  const setting = settings['VANTAGE_DATABASE_URL'];
  const target = moved.safeParse(parseJson(readIfPresentSync(path.join(folder, 'database-moved.json')))).data;
  return target !== undefined && target.from === (setting ?? 'embedded')
    ? { url: target.to, target }
    : { url: setting, target: undefined };
}

function movedTo({ to, name }: z.output<typeof moved>): ControllerFinding {
  const remedy =
    to === 'embedded'
      ? 'Remove VANTAGE_DATABASE_URL: the embedded database is used.'
      : `Set VANTAGE_DATABASE_URL to ${name}, with its password.`;
  const text = `the database of the settings was copied, and ${name} is used`;
  return { level: 'warning', step, text, remedy };
}

async function examine(url: string, readUrl: string | undefined): Promise<readonly ControllerFinding[]> {
  const limit = AbortSignal.timeout(maxWaitMs);
  const fault = (text: string): ControllerFinding[] => [
    {
      level: 'fault',
      step,
      text,
      remedy: 'docs/operate.md, "PostgreSQL of your own", lists what Vantage needs from it.',
    },
  ];
  await using started = startAdmin(url, limit);
  return await started
    .admin('database.examine', { read_url: readUrl })
    .catch((error: unknown) =>
      fault(limit.aborted ? `it does not answer within ${maxWaitMs / 1000} s` : messageOf(error)),
    );
}
