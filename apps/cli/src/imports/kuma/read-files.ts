import { closeSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Fault, messageOf } from '@vantage/kernel';
import { collector, type FoundCheck, type FoundTarget, type Reading } from '../found.ts';
import { mostThings, parseJson, readText, unreadable } from '../input.ts';
import { listOf, recordOf, tagPath, textOf } from '../values.ts';
import { httpCheck } from './http-monitor.ts';
import { type KumaFile, type KumaMonitor, type KumaProxy, monitorOf, proxyOf } from './monitor.ts';
import { portCheck } from './port-monitor.ts';

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

/** Types without any counterpart, and why. */
const impossible: Readonly<Record<string, string>> = {
  push: 'waits for calls of a job (push); no Method is passive',
  docker: 'asks a Docker daemon for a container; monitor a port or page of the container',
  steam: 'speaks a game protocol over UDP, which no Method does',
  gamedig: 'speaks a game protocol over UDP, which no Method does',
  radius: 'speaks RADIUS over UDP, which no Method does',
  snmp: 'speaks SNMP over UDP, which no Method does',
  ntp: 'speaks NTP over UDP, which no Method does',
  'sip-options': 'speaks SIP, which no Method does',
  manual: 'has a status that people set; no Method does that',
  'system-service': "asks for a service of Kuma's own host",
  pm2: "asks for a process of Kuma's own host",
  globalping: 'is checked from the probes of Globalping',
};

/** Types that obey the monitor's own timeout. */
const timed: readonly string[] = ['http', 'keyword', 'json-query', 'ping', 'real-browser'];

/** Maps each monitor. Groups become tags: the path of the groups around a monitor. */
function readMonitors({ monitors, others }: KumaFile): Reading {
  const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]));
  const into = collector();
  for (const monitor of monitors) {
    const at = `monitor ${monitor.id}`;
    const path = groupPath(monitor, byId);
    if (monitor.type === 'group') {
      into.became.push({
        at,
        name: monitor.name,
        text: `the tag ${JSON.stringify(tagPath(...path, monitor.name))}`,
      });
      continue;
    }
    const target = targetOf(monitor);
    if (typeof target === 'string') into.refused.push({ at, name: monitor.name, text: target });
    else into.checks.push(checkOf(monitor, at, target, tagPath(...path)));
  }
  return { ...into, things: 'monitors', ignored: others };
}

function targetOf(monitor: KumaMonitor): FoundTarget {
  if (Object.hasOwn(impossible, monitor.type)) return impossible[monitor.type] ?? '';
  if (monitor.truth('upside_down'))
    return 'is good while its target does not answer (upside down); no Method turns its result round';
  return (
    httpCheck(monitor) ??
    portCheck(monitor) ??
    `has the type ${JSON.stringify(monitor.type)}, for which there is no Method`
  );
}

function checkOf(
  monitor: KumaMonitor,
  at: string,
  target: Exclude<FoundTarget, string>,
  group: string,
): FoundCheck {
  const retries = monitor.number('maxretries') ?? 0;
  const retryInterval = monitor.number('retry_interval') ?? 0;
  const timeout = timed.includes(monitor.type) ? (monitor.number('timeout') ?? 0) : 0;
  const tags = [...(group === '' ? [] : [group]), ...monitor.tags];
  return {
    at,
    name: monitor.name,
    id: `kuma-${monitor.id}`,
    method: target.method,
    url: target.url,
    options: target.options,
    intervalSeconds: monitor.number('interval'),
    timeoutSeconds: timeout > 0 ? timeout : undefined,
    attempts: retries + 1,
    retryDelaySeconds: retries > 0 && retryInterval > 0 ? retryInterval : undefined,
    tags: tags.length === 0 ? undefined : tags,
    enabled: monitor.active,
    lost: [...(target.lost ?? []), ...alwaysLost(monitor)],
  };
}

function alwaysLost(monitor: KumaMonitor): string[] {
  return [
    ...(monitor.text('description') === undefined ? [] : ['its description (FullName has the name)']),
    ...((monitor.number('resend_interval') ?? 0) > 0
      ? ['repeated notifications (a step of a notification schedule repeats)']
      : []),
    ...(monitor.list('conditions').length > 0 ? ['its conditions'] : []),
  ];
}

/** Names of the groups around a monitor, the outermost first. A circle of groups ends where it begins. */
function groupPath(monitor: KumaMonitor, byId: ReadonlyMap<string, KumaMonitor>): string[] {
  const path: string[] = [];
  const seen = new Set([monitor.id]);
  for (let id = monitor.parent; id !== undefined && !seen.has(id); id = byId.get(id)?.parent) {
    seen.add(id);
    const group = byId.get(id);
    if (group !== undefined) path.unshift(group.name);
  }
  return path;
}
