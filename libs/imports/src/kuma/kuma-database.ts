import { closeSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Fault, messageOf } from '@vantage/kernel';
import { maxItems } from '../input/max-items.ts';
import { unreadable } from '../input/text-file.ts';
import { tagPath } from '../values/tag-path.ts';
import { recordOf, textOf } from '../values/unknown-values.ts';
import { kumaAccepts, kumaIgnored } from './kuma-formats.ts';
import { type KumaFile, monitorOf, proxiesOf } from './kuma-monitor.ts';

/** Whether a file begins as every SQLite database does. */
export function isDatabase(file: string): boolean {
  if (file === '-') return false;
  const start = Buffer.alloc(16);
  try {
    const handle = openSync(file, 'r');
    try {
      readSync(handle, start, 0, 16, 0);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw unreadable(`${file} cannot be read: ${messageOf(error)}`);
  }
  return start.toString('latin1') === 'SQLite format 3\0';
}

/** Opens Kuma's database for `read` and closes it afterwards. `rows` returns the rows of a table, if it exists. */
export function withKumaDatabase<T>(
  file: string,
  read: (rows: (table: string) => readonly unknown[], database: DatabaseSync) => T,
): T {
  let database: DatabaseSync | undefined;
  try {
    const opened = new DatabaseSync(file, { readOnly: true });
    database = opened;
    const tables = new Set(
      opened
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        .all()
        .map((row) => textOf(row['name'])),
    );
    if (!tables.has('monitor')) throw unreadable(`${file} has no table monitor; accepted is ${kumaAccepts}`);
    const rows = (table: string) => {
      if (!tables.has(table)) return [];
      const found = opened.prepare(`SELECT * FROM "${table}" LIMIT ${maxItems + 1}`).all();
      if (found.length > maxItems) throw unreadable(`${file} has more than ${maxItems} rows in ${table}`);
      return found;
    };
    return read(rows, opened);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw unreadable(
      `${file} cannot be read as a database (${messageOf(error)}); accepted is ${kumaAccepts}`,
    );
  } finally {
    database?.close();
  }
}

export function readKumaDatabase(file: string): KumaFile {
  return withKumaDatabase(file, (rows) => {
    const tagNames = new Map(
      rows('tag').map((tag) => [textOf(recordOf(tag)?.['id']), textOf(recordOf(tag)?.['name'])]),
    );
    const tagsByMonitor = new Map<string, string[]>();
    for (const row of rows('monitor_tag')) {
      const link = recordOf(row);
      const name = tagNames.get(textOf(link?.['tag_id']));
      const monitor = textOf(link?.['monitor_id']);
      if (name === undefined || monitor === undefined) continue;
      const tags = tagsByMonitor.get(monitor) ?? [];
      tagsByMonitor.set(monitor, [...tags, tagPath(name, textOf(link?.['value']))]);
    }
    const proxies = proxiesOf(rows('proxy'));
    return {
      monitors: rows('monitor').flatMap((row) => {
        const tags = tagsByMonitor.get(textOf(recordOf(row)?.['id']) ?? '') ?? [];
        return monitorOf(row, { tags, proxies }) ?? [];
      }),
      ignored: kumaIgnored((table) => rows(table).length),
    };
  });
}
