import { Fault } from '@vantage/kernel';
import { openTextSession } from '@vantage/storage/text-session';
import type pg from 'pg';
import { copyOut } from '../sql/copy-text.ts';
import { columnList, quoted } from '../sql/quoted-names.ts';
import { readFrames } from './backup-frames.ts';
import { type BackupHead, tableSchema } from './backup-head.ts';
import type { BackupKey } from './encryption.ts';
import { createRowsDigest } from './rows-digest.ts';

/**
 * Compares the rows of each table, in any order, with the backup that was loaded into the database. Throws a Fault that
 * names the table that differs.
 */
export async function compareBackup(deps: {
  readonly url: string;
  readonly file: string;
  readonly key?: BackupKey | undefined;
  readonly head: BackupHead;
}): Promise<void> {
  const client = await openTextSession(deps.url, deps.head.texts);
  try {
    let stored = '';
    let name = '';
    let digest = createRowsDigest();
    for await (const { kind, content } of readFrames(deps.file, deps.key)) {
      if (kind === 'table') {
        const table = tableSchema.parse(JSON.parse(content.toString('utf8')));
        ({ name } = table);
        stored = await digestOf(
          client,
          `copy (select ${columnList(table.columns)} from ${quoted(name)}) to stdout`,
        );
        digest = createRowsDigest();
      } else if (kind === 'rows') digest.add(content);
      else if (kind === 'done' && digest.read() !== stored)
        throw new Fault('drop', 'restore_differs', `the restored table ${name} differs from the backup`);
    }
  } finally {
    await client.end();
  }
}

async function digestOf(client: pg.Client, copy: string): Promise<string> {
  const digest = createRowsDigest();
  for await (const rows of copyOut(client, copy)) digest.add(rows);
  return digest.read();
}
