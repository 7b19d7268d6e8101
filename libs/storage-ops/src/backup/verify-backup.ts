import { Fault } from '@vantage/kernel';
import { withBaseline } from '@vantage/storage/baseline';
import { readFrames } from './backup-frames.ts';
import { type BackupHead, headSchema } from './backup-head.ts';
import type { BackupKey } from './encryption.ts';

/** Reads a whole backup, and returns its head. Throws a Fault when it is damaged. */
export async function verifyBackup(file: string, key?: BackupKey): Promise<BackupHead> {
  let head: Buffer | undefined;
  for await (const { kind, content } of readFrames(file, key)) if (kind === 'head') head = content;
  if (head === undefined)
    throw new Fault('drop', 'bad_backup', `${file} is no backup of Vantage: it has no head`);
  return headSchema.parse(JSON.parse(head.toString('utf8')));
}

/**
 * The number of migrations, counted from the first of this program, that created the tables of a backup. Throws a Fault
 * for a backup of a newer version.
 */
export function migrationsOf(head: BackupHead, known: readonly string[]): number {
  const names = withBaseline(head.migrations);
  if (names.every((name, at) => known[at] === name)) return names.length;
  const why = 'a newer or another version of Vantage wrote the backup: restore it with that version';
  throw new Fault('drop', 'backup_newer', why);
}
