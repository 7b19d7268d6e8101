import type { DeviceStatus } from '@vantage/domain';
import { type Clock, createCoalescer, declareState } from '@vantage/kernel';
import type { Db, Reader, Tables } from '@vantage/storage';
import { deviceGroups } from '@vantage/storage/device-groups';
import { type Kysely, sql } from 'kysely';
import { changedSince, isTellable, type Revision, readRevision } from './revision.ts';
import { countByTags, type StatusCount } from './summary-store.ts';
import { createTagCounts, type ShownStatuses, type TagCounts, type TaggedDevice } from './tag-counts.ts';

/** Counts the devices of tags by status. */
export interface TagSummary {
  /** Each element of `groups` is a group of tags; see `TagCounts.count`. */
  count(
    db: Db,
    caller: { readonly accountNo: number; readonly scope?: readonly number[] },
    groups: readonly (readonly number[])[],
  ): Promise<readonly StatusCount[]>;
}

/** An account as it was last read: all of one snapshot. */
interface Kept {
  readonly counts: TagCounts;
  revision: Revision;
  shown: ShownStatuses;
}

/** Devices of all accounts that are kept. */
const maxDevices = 400_000;

const tracked = declareState({
  name: 'tag_counts',
  entries: maxDevices,
  entryBytes: 80,
  filledBy: 'devices with tags of accounts whose summary is read',
  atBound: 'the least recently read account is read again next time',
});

/**
 * Creates the counter. An account of 100,000 devices is read once; afterwards only what changed is, because each
 * reading of all takes a good part of a second of the database.
 */
export function createTagSummary({ clock }: { readonly clock: Clock }): TagSummary {
  const memory = tracked(createMemory(maxDevices));
  const readings = createCoalescer<Kept>({ clock });

  const readNow = async ({ kysely }: Reader, accountNo: number): Promise<Kept> => {
    const before = memory.get(accountNo);
    const nowUs = clock.nowUs();
    const reading = await readTagged(kysely, accountNo, { before: before?.revision, nowUs });
    const { revision, changed, rows, shown } = reading;
    if (before === undefined || changed === undefined)
      return memory.keep(accountNo, { counts: createTagCounts(rows), revision, shown });
    // Two readings at a time may end in any order: what is changed since the one that ends last is read next time.
    before.counts.change(changed, rows);
    return memory.keep(accountNo, Object.assign(before, { revision, shown }));
  };

  return {
    async count(db, { accountNo, scope }, groups) {
      // A limited caller sees other devices, and few. A transaction may be rolled back, so nothing of it is kept.
      if (scope !== undefined || db.isInTransaction())
        return countByTags(db.kysely, accountNo, { groups, nowUs: clock.nowUs() });
      const { counts, shown } = await readings.run(String(accountNo), () => readNow(db, accountNo));
      return counts.count(groups, shown);
    },
  };
}

/** Accounts, of which those that were not read for longest are forgotten when they have more devices in all. */
function createMemory(most: number) {
  const accounts = new Map<number, Kept>();
  const sizeOf = () => [...accounts.values()].reduce((sum, { counts }) => sum + counts.size, 0);
  return {
    get size() {
      return sizeOf();
    },
    get: (accountNo: number) => accounts.get(accountNo),
    keep(accountNo: number, kept: Kept): Kept {
      accounts.delete(accountNo); // set anew, so that the order is by last use
      accounts.set(accountNo, kept);
      let size = sizeOf();
      for (const [oldest, { counts }] of accounts) {
        if (size <= most) break;
        accounts.delete(oldest);
        size -= counts.size;
      }
      return kept;
    },
  };
}

/** A reading of one moment. */
interface TagReading {
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
function readTagged(
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
