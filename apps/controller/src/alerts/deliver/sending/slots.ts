/** A receiver with something that waits to be sent. */
export interface Due {
  readonly accountNo: number;
  /** Its name within the sender: `contact 12`. */
  readonly receiver: string;
  /** The host of the receiver with its port, or the kind of service. */
  readonly host: string;
  /** Its latest attempt took long. */
  readonly isSlow: boolean;
  /** Its latest attempt failed. */
  readonly isFailing: boolean;
}

/** The maximum of attempts of one process at the same time. */
interface SlotLimits {
  readonly total: number;
  readonly account: number;
  readonly host: number;
  readonly receiver: number;
}

const groups = ['all', 'slow', 'failing'] as const;
export type SlotGroup = (typeof groups)[number];

/**
 * The slots of a sender, and the part of them that slow and failing receivers may use. A receiver that does not answer
 * occupies its slot until the time limit of the attempt.
 */
export type Slots = Readonly<Record<SlotGroup, SlotLimits>>;

const isIn: Readonly<Record<SlotGroup, (due: Due) => boolean>> = {
  all: () => true,
  slow: ({ isSlow }) => isSlow,
  failing: ({ isFailing }) => isFailing,
};

/** The names under which attempts are counted; `readDueReceivers` writes the same in SQL. */
const names = {
  total: (group: SlotGroup, _due: Due) => `${group} total`,
  account: (group: SlotGroup, { accountNo }: Due) => `${group} account ${accountNo}`,
  host: (group: SlotGroup, { host }: Due) => `${group} host ${host}`,
  accountAtHost: (group: SlotGroup, { accountNo, host }: Due) => `${group} account ${accountNo} host ${host}`,
  receiver: (group: SlotGroup, { receiver }: Due) => `${group} receiver ${receiver}`,
} as const;
const levels = ['total', 'account', 'host', 'accountAtHost', 'receiver'] as const;

/**
 * An account may use less than this part of the free slots, in total and at a host. The more accounts have attempts
 * under way, the fewer slots each may use, and some slots stay free for an account that has none.
 */
const partOfFree = 1 / 4;

/** Counts attempts. */
function createCount(running: readonly Due[], slots: Slots) {
  const counts = new Map<string, number>();
  const countOf = (name: string) => counts.get(name) ?? 0;
  const add = (due: Due) => {
    for (const group of groups)
      if (isIn[group](due))
        for (const level of levels) {
          const name = names[level](group, due);
          counts.set(name, countOf(name) + 1);
        }
  };
  const limitsOf = (group: SlotGroup, due: Due) => {
    const { total, account, host, receiver } = slots[group];
    return {
      total,
      account: Math.min(account, partOfFree * (total - countOf(names.total(group, due)))),
      host,
      accountAtHost: partOfFree * (host - countOf(names.host(group, due))),
      receiver,
    };
  };
  /** The names of `due` that have no free slot. */
  const fullOf = (due: Due): string[] =>
    groups
      .filter((group) => isIn[group](due))
      .flatMap((group) => {
        const limits = limitsOf(group, due);
        return levels
          .filter((level) => countOf(names[level](group, due)) >= limits[level])
          .map((level) => names[level](group, due));
      });
  for (const due of running) add(due);
  return { add, fullOf, ofAccount: (due: Due) => countOf(names.account('all', due)) };
}

/** A receiver with the number of attempts that may start for it now. */
interface SlotShare<D extends Due> {
  readonly due: D;
  readonly slots: number;
}

/**
 * Shares the free slots between receivers, one by one: first to the accounts with the fewest attempts, otherwise
 * in the order of `due`. No receiver, host or account uses up the slots of others, nor do all slow or failing receivers
 * together. Pure.
 */
export function shareOut<D extends Due>(
  due: readonly D[],
  running: readonly Due[],
  slots: Slots,
): readonly SlotShare<D>[] {
  const count = createCount(running, slots);
  const slotsOf = new Map<D, number>();
  let left = due.toSorted((a, b) => count.ofAccount(a) - count.ofAccount(b));
  while (left.length > 0) {
    left = left.filter((receiver) => count.fullOf(receiver).length === 0);
    for (const receiver of left) {
      if (count.fullOf(receiver).length > 0) continue;
      count.add(receiver);
      slotsOf.set(receiver, (slotsOf.get(receiver) ?? 0) + 1);
    }
  }
  return [...slotsOf].map(([receiver, number]) => ({ due: receiver, slots: number }));
}

/** The names for which `shareOut` would give no further slot while these attempts run. Pure. */
export function fullNames(running: readonly Due[], slots: Slots): readonly string[] {
  const count = createCount(running, slots);
  return [...new Set(running.flatMap((due) => count.fullOf(due)))];
}

/** The name in `TakenSlots.full` of a receiver that must not be read. */
export const nameOfReceiver = (receiver: string): string => `all receiver ${receiver}`;
