// This program writes a backup of the controller's database and key, restores a backup into an empty installation, or
// verifies it by a trial restore into a scratch database. It reads the call (JSON, `callSchema`) from standard input,
// and writes the answer (JSON) to standard output.
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
import { migrationNames } from '@vantage/storage/migrate';
import { compareBackup } from '@vantage/storage-ops/backup/compare-backup';
import type { BackupKey, BackupLock } from '@vantage/storage-ops/backup/encryption';
import { loadBackup } from '@vantage/storage-ops/backup/load-backup';
import { storeVerified } from '@vantage/storage-ops/backup/store-verified';
import { migrationsOf, verifyBackup } from '@vantage/storage-ops/backup/verify-backup';
import { writeBackup } from '@vantage/storage-ops/backup/write-backup';
import { startEmbedded } from '@vantage/storage-ops/embedded/embedded';
import { z } from 'zod';
import type { ControllerConfig } from '../config/controller-config.ts';
import { loadSettings } from '../config/load-settings.ts';
import { makeTables } from './make-tables.ts';
import { refuseMoved } from './open-database.ts';

const callSchema = z.object({
  command: z.enum(['backup', 'restore']),
  file: z.string().min(1),
  /** Restores the backup into a scratch database next to it, and compares every row. */
  verify: z.boolean(),
  recipients: z.array(z.string()),
  passphraseFile: z.string().optional(),
  identityFile: z.string().optional(),
});
type BackupCall = z.output<typeof callSchema>;

const log = createLog('backup', 'silent');
const progressMs = 5_000;

/** Reports the progress to the operator every five seconds. */
function createProgress(): (rows: number) => void {
  let reportedMs = clock.monoMs();
  return (rows) => {
    if (clock.monoMs() - reportedMs < progressMs) return;
    reportedMs = clock.monoMs();
    process.stderr.write(`vantage: ${rows.toLocaleString('en')} rows so far\n`);
  };
}

/** The paths of the files that belong to the database, by their names in a backup. */
const pathsOf = ({ dataDir, secretKeyFile }: ControllerConfig) => ({
  'secret.key': secretKeyFile,
  'first-run.json': path.join(dataDir, 'first-run.json'),
});

/** Reads a file of the operator without its last line break. */
async function readOperatorFile(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Fault('stop', 'unreadable', `${file} cannot be read: ${messageOf(cause)}`, { cause });
  });
  return text.replace(/\r?\n$/, '');
}

async function passphraseOf(file: string): Promise<string> {
  const passphrase = await readOperatorFile(file);
  if (passphrase.length > 0) return passphrase;
  throw new Fault('stop', 'settings', `${file} is empty: it must contain the passphrase`);
}

async function lockOf({ passphraseFile, recipients }: BackupCall): Promise<BackupLock | undefined> {
  if (passphraseFile !== undefined) return { passphrase: await passphraseOf(passphraseFile) };
  return recipients.length > 0 ? { recipients } : undefined;
}

async function keyOf({ passphraseFile, identityFile }: BackupCall): Promise<BackupKey | undefined> {
  if (passphraseFile !== undefined) return { passphrase: await passphraseOf(passphraseFile) };
  if (identityFile === undefined) return undefined;
  const lines = (await readOperatorFile(identityFile)).split('\n').map((line) => line.trim());
  return { identities: lines.filter((line) => line !== '' && !line.startsWith('#')) };
}

async function backup(config: ControllerConfig, call: BackupCall) {
  const { file } = call;
  if (config.databaseUrl === undefined)
    throw new Fault('stop', 'no_database', 'no system is running here: a backup needs a running system');
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
  for (const [name, source] of Object.entries(pathsOf(config))) {
    const bytes = await readFile(source).catch((error: unknown) => {
      if (isMissing(error) && name !== 'secret.key') return undefined;
      throw new Fault('stop', 'unreadable', `${source} cannot be read: ${messageOf(error)}`, {
        cause: error,
      });
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

/** Restores a backup into a scratch database next to the file, compares every row, and removes the database. */
async function tryRestore(call: BackupCall) {
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
  onSignal(end);
  try {
    await makeTables(scratch.url, last);
    const size = await loadBackup({ url: scratch.url, file, key, head, onRows: createProgress() });
    await compareBackup({ url: scratch.url, file, key, head });
    return { file, at: new Date(head.atUs / 1000), ...size, verified: true };
  } finally {
    await end();
  }
}

/** Ends PostgreSQL at a signal, which does not reach it because it has its own process group. */
function onSignal(end: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void end().finally(() => process.exit(1)));
}

async function restore(config: ControllerConfig, call: BackupCall) {
  if (call.verify) return tryRestore(call);
  const { file } = call;
  const key = await keyOf(call);
  const head = await verifyBackup(file, key);
  const migrations = await migrationNames();
  const last = migrations[migrationsOf(head, migrations) - 1];
  const paths = new Map<string, string>(Object.entries(pathsOf(config)));
  const files = Object.entries(head.files).map(([name, base64]) => {
    const target = paths.get(name);
    if (target === undefined) throw new Fault('drop', 'bad_backup', `the backup has an unknown file ${name}`);
    return { target, text: Buffer.from(base64, 'base64').toString('utf8') };
  });
  for (const { target, text } of files) {
    const present = await readIfPresent(target);
    if (present !== undefined && present !== text)
      throw new Fault(
        'drop',
        'not_empty',
        `${target} already exists, and differs from the file in the backup`,
      );
  }
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbedded({ dir: path.join(config.dataDir, 'postgres'), log });
  // A server that was already running may belong to a controller.
  const end = async () => (embedded?.adopted === false ? embedded.stop() : undefined);
  onSignal(end);
  try {
    const url = config.databaseUrl ?? embedded?.url ?? '';
    await makeTables(url, last);
    for (const { target, text } of files) await makeFile(target, text);
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
