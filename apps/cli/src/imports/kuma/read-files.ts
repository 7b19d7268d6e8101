import { closeSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Fault, messageOf } from '@vantage/kernel';
import type { Reading } from '../found.ts';
import { mostThings, parseJson, readText, unreadable } from '../input.ts';
import { listOf, recordOf, tagPath, textOf } from '../values.ts';
import { type KumaFile, type KumaProxy, monitorOf, proxyOf } from './monitor.ts';
import { readMonitors } from './read-monitors.ts';

const accepts = 'kuma.db of Uptime Kuma 1.x or 2.x, or a backup of 1.x as JSON (with monitorList)';

/** Reads Uptime Kuma's database, or its backup. */
export function readKuma(file: string): Reading {
  return readMonitors(isDatabase(file) ? readDatabase(file) : readBackup(file));
}

/** Whether a file begins as each SQLite database does. */
function isDatabase(file: string): boolean {
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

/** Opens Kuma's database, reads, and closes it. A fault names the file. */
export function withDatabase<T>(
  file: string,
  read: (rows: (table: string) => readonly unknown[], database: DatabaseSync) => T,
): T {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const open = database;
    const names = new Set(
      open
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        .all()
        .map((row) => textOf(row['name'])),
    );
    if (!names.has('monitor')) throw unreadable(`${file} has no table monitor; accepted is ${accepts}`);
    const rows = (table: string) => {
      if (!names.has(table)) return [];
      const found = open.prepare(`SELECT * FROM "${table}" LIMIT ${mostThings + 1}`).all();
      if (found.length > mostThings) throw unreadable(`${file} has more than ${mostThings} rows in ${table}`);
      return found;
    };
    return read(rows, open);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw unreadable(`${file} cannot be read as a database (${messageOf(error)}); accepted is ${accepts}`);
  } finally {
    database?.close();
  }
}

/** Tables that hold no checks, in the words of the report. */
const otherTables = {
  notification: 'notifications (contacts and notification schedules take their place)',
  maintenance: 'maintenances (maintenance schedules take their place)',
  status_page: 'status pages',
  docker_host: 'docker hosts',
  remote_browser: 'remote browsers',
  api_key: 'API keys',
} as const;

function readDatabase(file: string): KumaFile {
  return withDatabase(file, (rows) => {
    const names = new Map(
      rows('tag').map((tag) => [textOf(recordOf(tag)?.['id']), textOf(recordOf(tag)?.['name'])]),
    );
    const tags = new Map<string, string[]>();
    for (const each of rows('monitor_tag')) {
      const link = recordOf(each);
      const name = names.get(textOf(link?.['tag_id']));
      const monitor = textOf(link?.['monitor_id']);
      if (name === undefined || monitor === undefined) continue;
      tags.set(monitor, [...(tags.get(monitor) ?? []), tagPath(name, textOf(link?.['value']))]);
    }
    const proxies = proxiesOf(rows('proxy'));
    return {
      monitors: rows('monitor').flatMap(
        (row) => monitorOf(row, { tags: tags.get(textOf(recordOf(row)?.['id']) ?? '') ?? [], proxies }) ?? [],
      ),
      others: Object.entries(otherTables).flatMap(([table, words]) => {
        const count = rows(table).length;
        return count === 0 ? [] : [`not carried over: ${count} ${words}`];
      }),
    };
  });
}

function readBackup(file: string): KumaFile {
  const backup = recordOf(parseJson(readText(file), file, accepts));
  const list = backup?.['monitorList'];
  if (!Array.isArray(list)) throw unreadable(`${file} has no monitorList; accepted is ${accepts}`);
  if (list.length > mostThings) throw unreadable(`${file} has more than ${mostThings} monitors`);
  const proxies = proxiesOf(listOf(backup?.['proxyList']));
  const notifications = listOf(backup?.['notificationList']).length;
  return {
    monitors: list.map((entry: unknown, at) => {
      const tags = listOf(recordOf(entry)?.['tags']).map((tag) =>
        tagPath(textOf(recordOf(tag)?.['name']), textOf(recordOf(tag)?.['value'])),
      );
      const monitor = monitorOf(entry, { tags, proxies });
      if (monitor === undefined)
        throw unreadable(`${file}: monitorList[${at}] has no id or no type; accepted is ${accepts}`);
      return monitor;
    }),
    others: notifications === 0 ? [] : [`not carried over: ${notifications} ${otherTables.notification}`],
  };
}

function proxiesOf(rows: readonly unknown[]): Map<string, KumaProxy> {
  return new Map(
    rows.flatMap((row) => {
      const proxy = proxyOf(row);
      return proxy === undefined ? [] : [[proxy.id, proxy] as const];
    }),
  );
}
