import type { SqliteFile, SqlRow } from './sqlite-file.ts';

/** Columns without a meaning for an import, which would only make the text longer. */
const unused = ['user_id', 'weight', 'push_token', 'google_analytics_id', 'created_date'];

/** A row without empty values. */
const filled = (row: SqlRow) =>
  Object.fromEntries(
    Object.entries(row).filter(([name, value]) => value !== null && value !== '' && !unused.includes(name)),
  );

/** A backup of Uptime Kuma (JSON) with the monitors, tags and proxies of its database. Throws a RangeError. */
export async function kumaBackupOf(database: SqliteFile): Promise<string> {
  if (!database.tables.includes('monitor')) throw new RangeError('it has no table monitor');
  const [monitors, tags, links, proxies, notifications] = [
    await database.rows('monitor'),
    await database.rows('tag'),
    await database.rows('monitor_tag'),
    await database.rows('proxy'),
    await database.rows('notification'),
  ];
  const names = new Map(tags.map(({ id, name }) => [id, name]));
  const byMonitor = Map.groupBy(links, ({ monitor_id: monitor }) => monitor);
  const monitorList = monitors.map((row) => ({
    ...filled(row),
    tags: (byMonitor.get(row['id'] ?? null) ?? []).flatMap((link) => {
      const name = names.get(link['tag_id'] ?? null);
      return name === undefined ? [] : [{ name, value: link['value'] ?? '' }];
    }),
  }));
  return JSON.stringify({
    monitorList,
    proxyList: proxies.map(filled),
    // Only their number is used: their settings have secrets, and are not carried over.
    notificationList: notifications.map(({ id }) => ({ id })),
  });
}
