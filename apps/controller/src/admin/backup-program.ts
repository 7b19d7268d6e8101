// This program writes a backup of the controller's database and key, and restores one into an empty installation:
// node backup-program.ts backup|restore FILE. It answers with JSON on standard output.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  systemClock as clock,
  createLog,
  Fault,
  isMissing,
  makeFile,
  messageOf,
  readIfPresent,
} from '@vantage/kernel';
import type { Config } from '../config/config.ts';
import { loadSettings } from '../config/load-settings.ts';
import { loadBackup, migrationsOf, verifyBackup } from '../db/backup/load.ts';
import { writeBackup } from '../db/backup/snapshot.ts';
import { startEmbedded } from '../db/embedded.ts';
import { createDb } from '../db/index.ts';
import { readMigrations } from '../db/migrate.ts';
import { requireSupportedServer } from '../db/server.ts';

const log = createLog('backup', 'silent');
const progressMs = 5_000;

/** Tells the operator each five seconds how far it is. */
function createProgress(): (rows: number) => void {
  let saidMs = clock.monoMs();
  return (rows) => {
    if (clock.monoMs() - saidMs < progressMs) return;
    saidMs = clock.monoMs();
    process.stderr.write(`vantage: ${rows.toLocaleString('en')} rows so far\n`);
  };
}

/** The files that belong to the database, by their names in a backup. */
const placesOf = ({ dataDir, secretKeyFile }: Config) => ({
  'secret.key': secretKeyFile,
  'first-run.json': path.join(dataDir, 'first-run.json'),
});

async function backup(config: Config, file: string) {
  if (config.databaseUrl === undefined)
    throw new Fault('stop', 'no_database', 'no system runs here: a backup is made while it runs');
  const files: Record<string, Buffer> = {};
  for (const [name, place] of Object.entries(placesOf(config))) {
    const bytes = await readFile(place).catch((error: unknown) => {
      if (isMissing(error) && name !== 'secret.key') return undefined;
      throw new Fault('stop', 'unreadable', `${place} cannot be read: ${messageOf(error)}`, { cause: error });
    });
    if (bytes !== undefined) files[name] = bytes;
  }
  const atUs = clock.nowUs();
  const size = await writeBackup({ url: config.databaseUrl, file, atUs, files, onRows: createProgress() });
  return { file, at: new Date(atUs / 1000), ...size };
}

async function restore(config: Config, file: string) {
  const head = await verifyBackup(file);
  const known = (await readMigrations()).slice(0, migrationsOf(head, await readMigrations()));
  const places = new Map<string, string>(Object.entries(placesOf(config)));
  const wanted = Object.entries(head.files).map(([name, base64]) => {
    const place = places.get(name);
    if (place === undefined) throw new Fault('drop', 'bad_backup', `the backup has a file ${name}`);
    return { place, text: Buffer.from(base64, 'base64').toString('utf8') };
  });
  for (const { place, text } of wanted) {
    const there = await readIfPresent(place);
    if (there !== undefined && there !== text)
      throw new Fault(
        'drop',
        'not_empty',
        `${place} is there already, and differs from the one of the backup`,
      );
  }
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbedded({ dir: path.join(config.dataDir, 'postgres'), log });
  // PostgreSQL has a process group of its own, and would stay.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void Promise.resolve(embedded?.stop()).finally(() => process.exit(1)));
  try {
    const url = config.databaseUrl ?? embedded?.url ?? '';
    await makeTables(url, known.at(-1)?.name);
    for (const { place, text } of wanted) await makeFile(place, text);
    const size = await loadBackup({ url, file, head, onRows: createProgress() });
    return { file, at: new Date(head.atUs / 1000), ...size };
  } finally {
    await embedded?.stop();
  }
}

/** Makes the tables as a version of Vantage has them that knows the migrations up to this one. */
async function makeTables(url: string, last: string | undefined): Promise<void> {
  const db = await createDb({ connection: { url }, log, poolSize: 2 });
  try {
    await requireSupportedServer(db.kysely);
    await db.migrate(last);
  } finally {
    await db.close();
  }
}

const [command = '', file = ''] = process.argv.slice(2);
try {
  const loaded = loadSettings();
  if (!loaded.ok) throw new Fault('stop', 'settings', loaded.problems.join('\n'));
  const run = command === 'restore' ? restore : backup;
  const answer = await run(loaded.config, path.resolve(file));
  process.stdout.write(JSON.stringify({ ok: true, answer }));
} catch (error) {
  const code = error instanceof Fault ? error.code : 'failed';
  process.stdout.write(JSON.stringify({ ok: false, error: { code, message: messageOf(error) } }));
}
