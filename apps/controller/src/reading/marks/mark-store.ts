import { dayUs } from '@vantage/domain';
import type { NewRow, Reader, Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { MarkRow } from './mark-fields.ts';

/** Marks are kept this long: a year and the month before it. */
export const keptUs = 400 * dayUs;
/** Of an account at most this many marks are kept, the newest. */
const maxKept = 100_000;

/** The marks of a device to read: the newest `limit` of those from `fromUs` to `untilUs`, which is exclusive. */
interface MarkAsk {
  readonly accountNo: number;
  readonly deviceNo: number;
  readonly fromUs: number;
  readonly untilUs: number;
  readonly limit: number;
}

/** The marks of a device, newest first: those that callers made, changes of its settings, maintenance, and restarts. */
export async function listMarks({ kysely }: Reader, ask: MarkAsk): Promise<readonly MarkRow[]> {
  const { accountNo, deviceNo, fromUs, untilUs, limit } = ask;
  const none = sql`'[]'::jsonb as changes`;
  // Each source gives its newest rows, because any of them may have all of the page.
  const { rows } = await sql<MarkRow>`
    select kind, at_us, end_us, text, author, link, changes, mark_id, audit_id, maintenance_id, mschedule_id from (
      (select kind, at_us, null::bigint as end_us, text, author, link, ${none}, mark_id, null as audit_id,
          null as maintenance_id, null as mschedule_id, mark_no::bigint as nth
        from marks where account_no = ${accountNo}::int and at_us >= ${fromUs}::bigint and at_us < ${untilUs}::bigint
          and (device_nos @> array[${deviceNo}::int] or tag_nos && array(
            select tag_no from device_tags where device_no = ${deviceNo}::int))
        order by at_us desc, mark_no desc limit ${limit})
      union all
      (select 'Change', at_us, null, action, actor, null, changes, null, audit_id, null, null, audit_no
        from audit where account_no = ${accountNo}::int and kind = 'device'
          and id = (select device_id from devices where device_no = ${deviceNo}::int) and action in ('create', 'update') and at_us >= ${fromUs}::bigint and at_us < ${untilUs}::bigint
          -- Maintenance is a mark of its own.
          and not changes @> '[{"Field": "Maintenance"}]'
        order by audit_no desc limit ${limit})
      union all
      (select 'Maintenance', w.from_us, w.to_us, coalesce(w.reason, m.name, ''), w.started_by, null, ${none},
          null, null, w.maintenance_id, m.mschedule_id, null
        from maintenance_windows w left join mschedules m on m.mschedule_no = w.mschedule_no
        where w.device_no = ${deviceNo}::int and w.to_us > ${fromUs}::bigint and w.from_us < ${untilUs}::bigint
        order by w.from_us desc limit ${limit})
      union all
      (select 'Restart', at_us, null, message, null, null, ${none}, null, null, null, null, event_no
        from events where device_no = ${deviceNo}::int and type = 'Restarted' and at_us >= ${fromUs}::bigint
          and at_us < ${untilUs}::bigint
        order by at_us desc limit ${limit})
    ) as found (kind, at_us, end_us, text, author, link, changes, mark_id, audit_id, maintenance_id, mschedule_id, nth)
    -- Of one moment the later entry first.
    order by at_us desc, nth desc, mark_id, audit_id, maintenance_id limit ${limit}`.execute(kysely);
  return rows;
}

/** Stores a mark of the caller with this key. */
export async function insertMark(
  trx: Kysely<Tables>,
  keyNo: number,
  mark: Omit<NewRow<'marks'>, 'author'>,
): Promise<void> {
  const author = sql<string>`(select coalesce(nullif(name, ''), key_id) from api_keys where key_no = ${keyNo})`;
  await trx
    .insertInto('marks')
    .values({ ...mark, author })
    .execute();
}

/** A mark that a caller made. */
export interface StoredMark {
  readonly mark_no: number;
  readonly mark_id: string;
  readonly kind: string;
  readonly text: string;
  readonly at_us: number;
}

/**
 * The account's mark with this id. A caller who is limited to tags finds only marks that are about nothing outside of
 * these tags (`scope`), because others are not the caller's to delete.
 */
export async function findMark(
  { kysely }: Reader,
  { accountNo, scope, id }: { accountNo: number; scope: readonly number[] | undefined; id: string },
): Promise<StoredMark | undefined> {
  const { rows } = await sql<StoredMark>`
    select m.mark_no, m.mark_id, m.kind, m.text, m.at_us from marks m
    where m.account_no = ${accountNo}::int and m.mark_id = ${id}
      and (${scope === undefined} or m.tag_nos <@ ${scope ?? []}::int[]
        and cardinality(m.device_nos) = (select count(*) from devices d where d.device_no = any (m.device_nos)))`.execute(
    kysely,
  );
  return rows[0];
}

export async function deleteMark(trx: Kysely<Tables>, { mark_no }: StoredMark): Promise<void> {
  await trx.deleteFrom('marks').where('mark_no', '=', mark_no).execute();
}

/** Deletes the marks that are too old, and the oldest of accounts that have too many. */
export async function deleteOldMarks(kysely: Kysely<Tables>, nowUs: number): Promise<void> {
  await sql`delete from marks where at_us < ${nowUs - keptUs}::bigint`.execute(kysely);
  await sql`
    delete from marks where mark_no in (
      select ranked.mark_no from (
        select mark_no, row_number() over (partition by account_no order by at_us desc, mark_no desc) as nth from marks
        where account_no in (select account_no from marks group by account_no having count(*) > ${maxKept})) as ranked
      where ranked.nth > ${maxKept})`.execute(kysely);
}

/** The numbers of the account's tags with these names or ids, by the text that names them. */
export async function findTagNos(
  { kysely }: Reader,
  accountNo: number,
  texts: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  if (texts.length === 0) return new Map();
  const rows = await kysely
    .selectFrom('tags')
    .select(['tag_no', 'tag_id', 'name'])
    .where('account_no', '=', accountNo)
    .where((where) => where.or([where('tag_id', 'in', [...texts]), where('name', 'in', [...texts])]))
    .execute();
  return new Map(
    texts.map((text) => [
      text,
      rows.filter(({ tag_id, name }) => tag_id === text || name === text).map(({ tag_no }) => tag_no),
    ]),
  );
}

/** The numbers of the account's devices with these ids, by id. */
export async function findDeviceNos(
  { kysely }: Reader,
  accountNo: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await kysely
    .selectFrom('devices')
    .select(['device_no', 'device_id'])
    .where('account_no', '=', accountNo)
    .where('device_id', 'in', [...ids])
    .execute();
  return new Map(rows.map(({ device_no, device_id }) => [device_id, device_no]));
}
