import { messageOf } from '@vantage/kernel';
import { createAdmin } from '../admin.ts';
import type { Finding } from './judge.ts';

/** Examines the database of VANTAGE_DATABASE_URL; nothing where the setting is missing. Never rejects. */
export async function examineDatabase(url: string | undefined): Promise<readonly Finding[]> {
  if (url === undefined) return [];
  return createAdmin(url)('database.examine', {}).catch((error: unknown) => [
    {
      level: 'fault',
      step: 'database',
      text: messageOf(error),
      remedy: 'docs/operate.md, "PostgreSQL of your own", says what Vantage needs of it.',
    },
  ]);
}
