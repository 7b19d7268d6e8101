import { parseJson } from '@vantage/kernel';
import { listOf, numberOf, recordOf, textOf, truthOf } from '../values/unknown-values.ts';

/** A monitor of Uptime Kuma: a row of its table `monitor`, or an entry of a 1.x backup. */
export interface KumaMonitor {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** A field by its column in the database. A backup has most names in camel case. */
  readonly text: (column: string) => string | undefined;
  readonly number: (column: string) => number | undefined;
  readonly truth: (column: string) => boolean;
  readonly list: (column: string) => readonly unknown[];
  readonly active: boolean;
  readonly parent: string | undefined;
  /** Paths. A tag with a value is `name/value`. */
  readonly tags: readonly string[];
  readonly proxy: KumaProxy | undefined;
}

export interface KumaProxy {
  readonly id: string;
  readonly protocol: string;
  readonly host: string;
  readonly port: number | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** The content of a database or a backup. */
export interface KumaFile {
  readonly monitors: readonly KumaMonitor[];
  /** The parts that are not imported, for the report. */
  readonly ignored: readonly string[];
}

/** Names of a backup that are not the column's name in camel case. */
const backupNames: Readonly<Record<string, string>> = { accepted_statuscodes_json: 'accepted_statuscodes' };

/** Reads a row or an entry of a backup. Returns undefined where it has no id or type. */
export function monitorOf(
  value: unknown,
  context: { readonly tags: readonly string[]; readonly proxies: ReadonlyMap<string, KumaProxy> },
): KumaMonitor | undefined {
  const row = recordOf(value);
  const id = textOf(row?.['id']);
  const type = textOf(row?.['type']);
  if (row === undefined || id === undefined || type === undefined) return undefined;
  const get = (column: string) => row[column] ?? row[camelCase(column)] ?? row[backupNames[column] ?? ''];
  return {
    id,
    type,
    name: textOf(row['name']) ?? `monitor ${id}`,
    text: (column) => textOf(get(column)),
    number: (column) => numberOf(get(column)),
    truth: (column) => truthOf(get(column)) ?? false,
    list: (column) => jsonList(get(column)),
    active: truthOf(get('active')) ?? true,
    parent: textOf(row['parent']),
    tags: context.tags,
    proxy: context.proxies.get(textOf(get('proxy_id')) ?? ''),
  };
}

/** The proxies of rows or of a backup's entries, by id. */
export function proxiesOf(rows: readonly unknown[]): ReadonlyMap<string, KumaProxy> {
  return new Map(
    rows.flatMap((row) => {
      const proxy = proxyOf(row);
      return proxy === undefined ? [] : [[proxy.id, proxy] as const];
    }),
  );
}

function proxyOf(value: unknown): KumaProxy | undefined {
  const row = recordOf(value);
  const id = textOf(row?.['id']);
  const host = textOf(row?.['host']);
  if (row === undefined || id === undefined || host === undefined) return undefined;
  return {
    id,
    host,
    protocol: textOf(row['protocol']) ?? 'http',
    port: numberOf(row['port']),
    user: truthOf(row['auth']) ? textOf(row['username']) : undefined,
    password: truthOf(row['auth']) ? textOf(row['password']) : undefined,
  };
}

function camelCase(column: string): string {
  return column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function jsonList(value: unknown): readonly unknown[] {
  return listOf(typeof value === 'string' ? parseJson(value) : value);
}
