import type { DeviceStatus } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import { deviceGroups } from '../../platform/db/device-groups.ts';
import type { Tables } from '../../platform/db/index.ts';
import { changedSince, isTellable, type Revision, readRevision } from './revision.ts';
import type { ShownStatuses, TaggedDevice } from './tag-counts.ts';

/** A reading of one moment. */
export interface TagReading {
  readonly revision: Revision;
  /** The devices that may have changed since the revision before; undefined: `rows` are all of the account. */
  readonly changed: readonly number[] | undefined;
  readonly rows: readonly TaggedDevice[];
  readonly shown: ShownStatuses;
}

/**
 * Reads what changed since a revision, or all devices with tags, and the shown statuses, all of one snapshot.
 *
 * @param before - undefined, or too long ago: everything is read.
 */
export function readTagged(
  kysely: Kysely<Tables>,
  accountNo: number,
  { before, nowUs }: { readonly before: Revision | undefined; readonly nowUs: number },
): Promise<TagReading> {
  const snapshot = kysely.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (trx) => {
    const revision = await readRevision(trx, nowUs);
    const changed =
      before !== undefined && isTellable(before, revision)
        ? await changedSince(trx, accountNo, { before, nowUs })
        : undefined;
    const rows = changed?.length === 0 ? [] : await readTaggedDevices(trx, accountNo, changed);
    return { revision, changed, rows, shown: await readShown(trx, accountNo, nowUs) };
  });
}

async function readTaggedDevices(
  trx: Kysely<Tables>,
  accountNo: number,
  among: readonly number[] | undefined,
): Promise<readonly TaggedDevice[]> {
  const isAmong = among === undefined ? sql`true` : sql`dt.device_no = any(${among}::int[])`;
  const { rows } = await sql<TaggedDevice>`
    select t.device_no, t.tag_nos || '|' || coalesce(array_to_string(s.location_nos, ',') || '|' || s.status, '|') as combination
    from (
      select dt.device_no, string_agg(dt.tag_no::text, ',' order by dt.tag_no) as tag_nos
      from device_tags dt join tags using (tag_no)
      where tags.account_no = ${accountNo}::int and ${isAmong} group by dt.device_no) t
    left join device_state s on s.device_no = t.device_no and s.account_no = ${accountNo}::int`.execute(trx);
  return rows;
}

async function readShown(trx: Kysely<Tables>, accountNo: number, nowUs: number): Promise<ShownStatuses> {
  const { rows } = await sql<{ device_no: number; group: string | null; status: DeviceStatus }>`
    with ${deviceGroups(accountNo, nowUs)}
    select 0 as device_no, array_to_string(location_nos, ',') || '|' || base as "group", status from groups
    union all select device_no, null, status from apart`.execute(trx);
  const groups = new Map<string, DeviceStatus>();
  for (const { group, status } of rows) if (group !== null) groups.set(group, status);
  return { groups, apart: rows.filter(({ group }) => group === null) };
}
