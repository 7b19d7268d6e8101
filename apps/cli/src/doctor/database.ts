import path from 'node:path';
import { messageOf, parseJson, readIfPresentSync } from '@vantage/kernel';
import { z } from 'zod';
import { startAdmin } from '../admin.ts';
import type { Finding } from './finding.ts';

/** The file of a controller that `vantage database copy` led to another database; `to`: `embedded`, or a URL. */
const moved = z.object({ from: z.string(), to: z.string(), name: z.string() });

/** A database that needs longer hangs. */
const patienceMs = 20_000;

const step = 'database';

/**
 * Examines the database of VANTAGE_DATABASE_URL, or the one that replaced it, its replicas, and the database of
 * VANTAGE_DATABASE_READ_URL. `/readyz` examines the embedded database. Never rejects.
 */
export async function examineDatabase(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<readonly Finding[]> {
  const setting = settings['VANTAGE_DATABASE_URL'];
  const target = moved.safeParse(parseJson(readIfPresentSync(path.join(folder, 'database-moved.json')))).data;
  const isMoved = target !== undefined && target.from === (setting ?? 'embedded');
  const url = isMoved ? target.to : setting;
  const findings: Finding[] = isMoved ? [movedTo(target)] : [];
  if (url === undefined || url === 'embedded') return findings;
  return [...findings, ...(await examine(url, settings['VANTAGE_DATABASE_READ_URL']))];
}

function movedTo({ to, name }: z.output<typeof moved>): Finding {
  const remedy =
    to === 'embedded'
      ? 'Take VANTAGE_DATABASE_URL away: the embedded database is used.'
      : `Set VANTAGE_DATABASE_URL to ${name}, with its password.`;
  const text = `the database of the settings was copied, and ${name} is used`;
  return { level: 'warning', step, text, remedy };
}

async function examine(url: string, readUrl: string | undefined): Promise<readonly Finding[]> {
  const limit = AbortSignal.timeout(patienceMs);
  const fault = (text: string): Finding[] => [
    {
      level: 'fault',
      step,
      text,
      remedy: 'docs/operate.md, "PostgreSQL of your own", says what Vantage needs of it.',
    },
  ];
  await using started = startAdmin(url, limit);
  return await started
    .admin('database.examine', { read_url: readUrl })
    .catch((error: unknown) =>
      fault(limit.aborted ? `it does not answer within ${patienceMs / 1000} s` : messageOf(error)),
    );
}
