import { messageOf } from '@vantage/kernel';
import { createAdmin } from '../admin.ts';
import type { Finding } from './judge.ts';

/**
 * Examines the database of VANTAGE_DATABASE_URL, its replicas and the one of VANTAGE_DATABASE_READ_URL; nothing where
 * the first setting is missing. Never rejects.
 */
export async function examineDatabase(
  settings: Readonly<Record<string, string>>,
): Promise<readonly Finding[]> {
  const url = settings['VANTAGE_DATABASE_URL'];
  if (url === undefined) return [];
  const request = { read_url: settings['VANTAGE_DATABASE_READ_URL'] };
  return createAdmin(url)('database.examine', request).catch((error: unknown) => [
    {
      level: 'fault',
      step: 'database',
      text: messageOf(error),
      remedy: 'docs/operate.md, "PostgreSQL of your own", says what Vantage needs of it.',
    },
  ]);
}
