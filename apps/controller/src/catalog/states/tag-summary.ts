import { type Clock, createSharedWork, declareState } from '@vantage/kernel';
import type { Db } from '../../platform/db/index.ts';
import type { Revision } from './revision.ts';
import { countByTags, type StatusCount } from './summary-store.ts';
import { createTagCounts, type ShownStatuses, type TagCounts } from './tag-counts.ts';
import { readTagged } from './tag-counts-store.ts';

/** Counts the devices of tags by status. */
export interface TagSummary {
  /** Each element of `groups` is a group of tags; see `TagCounts.count`. */
  count(
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
const mostDevices = 400_000;

const tracked = declareState({
  name: 'tag_counts',
  entries: mostDevices,
  entryBytes: 80,
  filledBy: 'devices with tags of accounts whose summary is read',
  atBound: 'the account that was not read for longest is read anew next time',
});

/**
 * Creates the counter. An account of 100,000 devices is read once; afterwards only what changed is, because each
 * reading of all takes a good part of a second of the database.
 */
export function createTagSummary({ db, clock }: { readonly db: Db; readonly clock: Clock }): TagSummary {
  const memory = tracked(createMemory(mostDevices));
  const readings = createSharedWork<Kept>({ clock });

  const readNow = async (accountNo: number): Promise<Kept> => {
    const before = memory.get(accountNo);
    const nowUs = clock.nowUs();
    const reading = await readTagged(db.kysely, accountNo, { before: before?.revision, nowUs });
    const { revision, changed, rows, shown } = reading;
    if (before === undefined || changed === undefined)
      return memory.keep(accountNo, { counts: createTagCounts(rows), revision, shown });
    // Two readings at a time may end in any order: what is changed since the one that ends last is read next time.
    before.counts.change(changed, rows);
    return memory.keep(accountNo, Object.assign(before, { revision, shown }));
  };

  return {
    async count({ accountNo, scope }, groups) {
      // A limited caller sees other devices, and few.
      if (scope !== undefined) return countByTags(db.kysely, accountNo, { groups, nowUs: clock.nowUs() });
      const { counts, shown } = await readings.run(String(accountNo), () => readNow(accountNo));
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
