// The rows that a caller who is limited to tags can see.

/**
 * The condition under which a row of a table is visible to the caller, by table. `{}` is the row, `visible(column)`
 * means a device of the caller, and `left(column)` a device that was the caller's within the last day. A row of any
 * other table with a column `device_no` is visible where that device is.
 */
export const rowRules: Readonly<Record<string, string>> = {
  events:
    '{}.device_no is null and {}.location_no is not null or visible({}.device_no) or {}.gone_tag_nos && mine',
  notifications:
    'exists (select from tables.alerts a where a.alert_no = {}.alert_no and visible(a.device_no))',
  marks: `{}.tag_nos && mine or exists (select from tables.device_tags o where o.device_no = any ({}.device_nos) and o.tag_no = any (mine))
    or exists (select from tables.device_tags o join tables.device_tags t using (device_no) where o.tag_no = any ({}.tag_nos) and t.tag_no = any (mine))`,
  device_marks: 'visible({}.device_no) or left({}.device_no)',
  tags: `{}.tag_no = any (mine) or exists (select from tables.device_tags o where o.tag_no = {}.tag_no and visible(o.device_no))`,
  // It may be on workers, which cannot look up the tags of each row: they get all devices of the caller.
  packed_checks: `{}.device_no in (select t.device_no from tables.device_tags t where t.tag_no = any (mine))`,
  check_counts: 'false',
  secrets: 'false',
  api_keys: '{}.tag_nos <@ mine',
  users: 'exists (select from tables.api_keys k where k.key_no = {}.key_no and k.tag_nos <@ mine)',
  audit: `{}.kind = 'device' and exists (select from tables.devices d where d.device_id = {}.id and visible(d.device_no))
    or {}.kind = 'alert' and exists (select from tables.alerts a where a.alert_id = {}.id and visible(a.device_no))
    or {}.kind = 'maintenance' and exists (select from tables.maintenance_windows w where w.maintenance_id = {}.id and visible(w.device_no))
    or exists (select from tables.device_tags t where t.tag_no = any (mine)
      and t.device_no = case when {}.kind = 'outage' then ('x' || substr({}.id, 1, 16))::bit(64)::bigint end)`,
};

/** The views that do more than select rows. */
export const specialViews: Readonly<Record<string, string>> = {
  device_counts: `select 0::bigint as count_no, s.account_no, s.location_nos, s.status, 1 as devices, s.frequency_min
    from tables.device_state s where s.account_no <> 0 and visible(s.device_no)`,
  deleted_devices: `select g.device_id, g.account_no, g.device_no, g.deleted_us from tables.deleted_devices g where left(g.device_no)
    union all select d.device_id, d.account_no, d.device_no, 0::bigint from tables.devices d where left(d.device_no) and not visible(d.device_no)`,
};

/** Tables whose readers compare row versions: their views also have the columns of the version. */
export const versionedTables = new Set(['devices', 'device_state']);

/** Tables whose `device_no` names no current device: the number of a trial, and the devices that left a tag. */
export const unscopedTables = new Set(['trials', 'left_tags', 'deleted_events']);

/** A rule or view as SQL; `base` is the schema of the tables. */
export function toSql(body: string, base: string): string {
  const mine = `(select current_setting('vantage.scope'))::int[]`;
  return body
    .replaceAll('{}', 'r')
    .replaceAll(
      /\bvisible\(([^)]+)\)/g,
      (_, column: string) =>
        `exists (select from tables.device_tags t where t.device_no = ${column} and t.tag_no = any (mine))`,
    )
    .replaceAll(
      /\bleft\(([^)]+)\)/g,
      (_, column: string) =>
        `exists (select from tables.left_tags t where t.device_no = ${column} and t.tag_no = any (mine))`,
    )
    .replaceAll(/\bmine\b/g, mine)
    .replaceAll('tables.', () => `${base}.`);
}
