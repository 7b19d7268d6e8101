import path from 'node:path';
import { Fault, readIfPresentSync } from '@vantage/kernel';
import { z } from 'zod';

const quickstart = z.object({ database_url: z.string() });

/** The database URL of the system that runs on a data folder. Throws a Fault where none runs. */
export function runningDatabase(dataDir: string): string {
  const file = path.resolve(dataDir, 'quickstart.json');
  const text = readIfPresentSync(file);
  if (text === undefined)
    throw new Fault(
      'stop',
      'no_database',
      `no system runs on ${path.dirname(file)} (there is no quickstart.json); start it with "npm start", or set VANTAGE_DATA or VANTAGE_DATABASE_URL`,
    );
  return quickstart.parse(JSON.parse(text)).database_url;
}
