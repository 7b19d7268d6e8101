// This program writes a backup of the controller's database and key, restores one into an empty installation, or for a
// trial into a scratch database. The call (JSON, `callSchema`) comes on standard input. It answers with JSON on
// standard output.
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import {
  systemClock as clock,
  createLog,
  Fault,
  isMissing,
  makeFile,
  messageOf,
  readIfPresent,
} from '@vantage/kernel';
import { z } from 'zod';
import type { Config } from '../platform/config/config.ts';
import { loadSettings } from '../platform/config/load-settings.ts';
import { compareBackup } from '../platform/db/backup/compare.ts';
import type { BackupKey, Lock } from '../platform/db/backup/encryption.ts';
import { loadBackup, migrationsOf, verifyBackup } from '../platform/db/backup/load.ts';
import { writeBackup } from '../platform/db/backup/snapshot.ts';
import { storeVerified } from '../platform/db/backup/verified.ts';
import { startEmbedded } from '../platform/db/embedded.ts';
import { migrationNames } from '../platform/db/migrate.ts';
import { makeTables } from './make-tables.ts';
import { refuseMoved } from './open-database.ts';

const callSchema = z.object({
  command: z.enum(['backup', 'restore']),
  file: z.string().min(1),
  /** Restores the backup into a scratch database beside it, and compares every row. */
  verify: z.boolean(),
  recipients: z.array(z.string()),
  passphraseFile: z.string().optional(),
  identityFile: z.string().optional(),
});
type Call = z.output<typeof callSchema>;

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

/** Reads a file of the operator, without the line's end of its last line. */
async function readOwn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Fault('stop', 'unreadable', `${file} cannot be read: ${messageOf(cause)}`, { cause });
  });
  return text.replace(/\r?\n$/, '');
}

async function passphraseOf(file: string): Promise<string> {
  const passphrase = await readOwn(file);
  if (passphrase.length > 0) return passphrase;
  throw new Fault('stop', 'settings', `${file} is empty: it holds the passphrase`);
}

async function lockOf({ passphraseFile, recipients }: Call): Promise<Lock | undefined> {
  if (passphraseFile !== undefined) return { passphrase: await passphraseOf(passphraseFile) };
  return recipients.length > 0 ? { recipients } : undefined;
}

async function keyOf({ passphraseFile, identityFile }: Call): Promise<BackupKey | undefined> {
  if (passphraseFile !== undefined) return { passphrase: await passphraseOf(passphraseFile) };
  if (identityFile === undefined) return undefined;
  const lines = (await readOwn(identityFile)).split('\n').map((line) => line.trim());
  return { identities: lines.filter((line) => line !== '' && !line.startsWith('#')) };
}

async function backup(config: Config, call: Call) {
  const { file } = call;
  if (config.databaseUrl === undefined)
    throw new Fault('stop', 'no_database', 'no system runs here: a backup is made while it runs');
  const lock = await lockOf(call);
  if (call.verify && lock !== undefined && 'recipients' in lock && call.identityFile === undefined)
    throw new Fault('stop', 'settings', 'to verify a backup for a recipient, --identity-file is needed too');
  if (call.identityFile !== undefined && lock === undefined)
    throw new Fault(
      'stop',
      'settings',
      '--identity-file encrypts nothing: --recipient age1... is needed too',
    );
  const files: Record<string, Buffer> = {};
  for (const [name, place] of Object.entries(placesOf(config))) {
    const bytes = await readFile(place).catch((error: unknown) => {
      if (isMissing(error) && name !== 'secret.key') return undefined;
      throw new Fault('stop', 'unreadable', `${place} cannot be read: ${messageOf(error)}`, { cause: error });
    });
    if (bytes !== undefined) files[name] = bytes;
  }
  const atUs = clock.nowUs();
  const url = config.databaseUrl;
  await refuseMoved(url);
  const size = await writeBackup({ url, file, atUs, files, lock, onRows: createProgress() });
  if (call.verify) await tryRestore(call);
  if (call.verify) await storeVerified(url, atUs);
  return { file, at: new Date(atUs / 1000), ...size, verified: call.verify };
}

/** Restores a backup into a scratch database beside the file, compares every row, and removes the database. */
async function tryRestore(call: Call) {
  const key = await keyOf(call);
  const { file } = call;
  const head = await verifyBackup(file, key);
  const migrations = await migrationNames();
  const last = migrations[migrationsOf(head, migrations) - 1];
  const folder = `${file}.${process.pid}.trial`;
  const scratch = await startEmbedded({
    dir: folder,
    log,
    settings: { fsync: 'off', full_page_writes: 'off' },
  });
  const end = async () => {
    await scratch.stop();
    await rm(folder, { recursive: true, force: true });
  };
  endsWith(end);
  try {
    await makeTables(scratch.url, last);
    const size = await loadBackup({ url: scratch.url, file, key, head, onRows: createProgress() });
    await compareBackup({ url: scratch.url, file, key, head });
    return { file, at: new Date(head.atUs / 1000), ...size, verified: true };
  } finally {
    await end();
  }
}

/** PostgreSQL has a process group of its own, and would stay after a signal. */
function endsWith(end: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void end().finally(() => process.exit(1)));
}

async function restore(config: Config, call: Call) {
  if (call.verify) return tryRestore(call);
  const { file } = call;
  const key = await keyOf(call);
  const head = await verifyBackup(file, key);
  const migrations = await migrationNames();
  const last = migrations[migrationsOf(head, migrations) - 1];
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
  // A server that ran before may belong to a controller.
  const end = async () => (embedded?.adopted === false ? embedded.stop() : undefined);
  endsWith(end);
  try {
    const url = config.databaseUrl ?? embedded?.url ?? '';
    await makeTables(url, last);
    for (const { place, text } of wanted) await makeFile(place, text);
    const size = await loadBackup({ url, file, key, head, onRows: createProgress() });
    return { file, at: new Date(head.atUs / 1000), ...size, verified: false };
  } finally {
    await end();
  }
}

try {
  const call = callSchema.parse(JSON.parse(await text(process.stdin)));
  const loaded = loadSettings();
  if (!loaded.ok) throw new Fault('stop', 'settings', loaded.problems.join('\n'));
  const run = call.command === 'restore' ? restore : backup;
  const answer = await run(loaded.config, { ...call, file: path.resolve(call.file) });
  process.stdout.write(JSON.stringify({ ok: true, answer }));
} catch (error) {
  const code = error instanceof Fault ? error.code : 'failed';
  process.stdout.write(JSON.stringify({ ok: false, error: { code, message: messageOf(error) } }));
}
