import { createHash } from 'node:crypto';
import { Fault } from '@vantage/kernel';
import pg from 'pg';
import { copyOut } from './copy-text.ts';
import type { BackupKey } from './encryption.ts';
import { readFrames } from './frames.ts';
import { columnList, quoted, tableSchema } from './snapshot.ts';

/**
 * Compares each table of a database with the backup that was just loaded into it: the same rows, in the same order.
 * Throws a Fault that names the table that differs.
 */
export async function compareBackup(deps: {
  readonly url: string;
  readonly file: string;
  readonly key?: BackupKey | undefined;
}): Promise<void> {
  const client = new pg.Client({ connectionString: deps.url, statement_timeout: 0, query_timeout: 0 });
  client.on('error', () => {}); // the query in work rejects
  await client.connect();
  try {
    // Rows come in the order in which they were loaded.
    await client.query('set max_parallel_workers_per_gather = 0; set synchronize_seqscans = off');
    let stored = '';
    let name = '';
    let hash = createHash('sha256');
    for await (const { kind, content } of readFrames(deps.file, deps.key)) {
      if (kind === 'table') {
        const table = tableSchema.parse(JSON.parse(content.toString('utf8')));
        ({ name } = table);
        stored = await digestOf(
          client,
          `copy (select ${columnList(table.columns)} from ${quoted(name)}) to stdout`,
        );
        hash = createHash('sha256');
      } else if (kind === 'rows') hash.update(content);
      else if (kind === 'done' && hash.digest('hex') !== stored)
        throw new Fault('drop', 'restore_differs', `the restored table ${name} differs from the backup`);
    }
  } finally {
    await client.end();
  }
}

async function digestOf(client: pg.Client, copy: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const rows of copyOut(client, copy)) hash.update(rows);
  return hash.digest('hex');
}
