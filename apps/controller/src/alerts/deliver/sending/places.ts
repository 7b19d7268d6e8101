import { type RawBuilder, sql } from 'kysely';

/** Something that waits to be sent to a receiver. */
export interface Due {
  readonly accountNo: number;
  /** Its receiver within the sender: `contact 12`. */
  readonly receiver: string;
  /** The host of the receiver with its port, or the kind of service. */
  readonly host: string;
  /** Its latest attempt took long. */
  readonly isSlow: boolean;
  /** Its latest attempt failed. */
  readonly isFailing: boolean;
}

/** The most attempts of one process at the same time. */
interface Limits {
  readonly total: number;
  readonly account: number;
  readonly host: number;
  readonly receiver: number;
}

const groups = ['all', 'slow', 'failing'] as const;
type Group = (typeof groups)[number];

/**
 * The places of a sender, and the part of them that slow and failing receivers may use. A receiver that does not answer
 * occupies its place until the time limit of the attempt.
 */
export type Places = Readonly<Record<Group, Limits>>;

const isIn: Readonly<Record<Group, (due: Due) => boolean>> = {
  all: () => true,
  slow: ({ isSlow }) => isSlow,
  failing: ({ isFailing }) => isFailing,
};

/** The names under which attempts are counted; `fits` writes the same in SQL. */
const names = {
  total: (group: Group, _due: Due) => `${group} total`,
  account: (group: Group, { accountNo }: Due) => `${group} account ${accountNo}`,
  host: (group: Group, { host }: Due) => `${group} host ${host}`,
  accountAtHost: (group: Group, { accountNo, host }: Due) => `${group} account ${accountNo} host ${host}`,
  receiver: (group: Group, { receiver }: Due) => `${group} receiver ${receiver}`,
} as const;
const levels = ['total', 'account', 'host', 'accountAtHost', 'receiver'] as const;

/**
 * An account may use less than this part of the free places, in total and at a host. The more accounts have attempts
 * under way, the fewer places each may use, and some places stay free for an account that has none.
 */
const partOfFree = 1 / 4;

/** Counts attempts. */
function createCount(running: readonly Due[], places: Places) {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  const add = (due: Due) => {
    for (const group of groups)
      if (isIn[group](due))
        for (const level of levels) {
          const name = names[level](group, due);
          counts.set(name, of(name) + 1);
        }
  };
  const limitsOf = (group: Group, due: Due) => {
    const { total, account, host, receiver } = places[group];
    return {
      total,
      account: Math.min(account, partOfFree * (total - of(names.total(group, due)))),
      host,
      accountAtHost: partOfFree * (host - of(names.host(group, due))),
      receiver,
    };
  };
  /** The names of `due` that have no free place. */
  const fullOf = (due: Due): string[] =>
    groups
      .filter((group) => isIn[group](due))
      .flatMap((group) => {
        const limits = limitsOf(group, due);
        return levels
          .filter((level) => of(names[level](group, due)) >= limits[level])
          .map((level) => names[level](group, due));
      });
  for (const one of running) add(one);
  return { add, fullOf, ofAccount: (due: Due) => of(names.account('all', due)) };
}

/** A receiver and how many attempts may begin for it now. */
interface Share<D extends Due> {
  readonly due: D;
  readonly places: number;
}

/**
 * Shares the free places between receivers, one by one: first to the accounts that have the fewest attempts, else in
 * the order given. No receiver, host or account uses up the places of others, nor do all slow or failing receivers
 * together. Pure.
 */
export function shareOut<D extends Due>(
  due: readonly D[],
  running: readonly Due[],
  places: Places,
): readonly Share<D>[] {
  const count = createCount(running, places);
  const given = new Map<D, number>();
  let left = due.toSorted((a, b) => count.ofAccount(a) - count.ofAccount(b));
  while (left.length > 0) {
    left = left.filter((one) => count.fullOf(one).length === 0);
    for (const one of left) {
      if (count.fullOf(one).length > 0) continue;
      count.add(one);
      given.set(one, (given.get(one) ?? 0) + 1);
    }
  }
  return [...given].map(([one, own]) => ({ due: one, places: own }));
}

/** The names for which `shareOut` would give no further place while these attempts run. Pure. */
export function fullNames(running: readonly Due[], places: Places): readonly string[] {
  const count = createCount(running, places);
  return [...new Set(running.flatMap((one) => count.fullOf(one)))];
}

/** The name in `Taken.full` of a receiver that shall not be read. */
export const nameOfReceiver = (receiver: string): string => `all receiver ${receiver}`;

/** Facts about receivers with which due ones are read. */
export interface Taken {
  /** `fullNames`, and names of receivers that rest. */
  readonly full: readonly string[];
  /** Receivers whose latest attempt took long. */
  readonly slow: readonly string[];
}

/** Columns of a receiver in a statement: of `Due`. */
interface DueColumns {
  readonly accountNo: RawBuilder<unknown>;
  readonly receiver: RawBuilder<unknown>;
  readonly host: RawBuilder<unknown>;
  readonly isFailing: RawBuilder<unknown>;
}

/** Whether the latest attempt of this receiver took long. */
export function slowIn({ slow }: Taken, { receiver }: Pick<DueColumns, 'receiver'>): RawBuilder<boolean> {
  return sql`${namesAsJson(slow)}::jsonb ? ${receiver}`;
}

/** An object with these keys: PostgreSQL finds one of many there without looking at all. */
function namesAsJson(names: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
}

/**
 * Whether a receiver has a free place. Receivers without one are not read, because those of one account would keep the
 * receivers of other accounts from being read.
 */
export function fits(taken: Taken, columns: DueColumns): RawBuilder<boolean> {
  const { accountNo, receiver, host, isFailing } = columns;
  const full = namesAsJson(taken.full);
  const isFull = (group: Group) => {
    const begin = sql.lit(`${group} `);
    return sql`${full}::jsonb ?| array[${begin} || 'total', ${begin} || 'account ' || ${accountNo},
      ${begin} || 'host ' || ${host}, ${begin} || 'account ' || ${accountNo} || ' host ' || ${host},
      ${begin} || 'receiver ' || ${receiver}]`;
  };
  return sql`not (${isFull('all')} or (${slowIn(taken, columns)} and ${isFull('slow')})
    or (${isFailing} and ${isFull('failing')}))`;
}

/**
 * The order of turns: first the longest waiting receiver of each account, then the second ones, and so on. So no
 * account keeps another one waiting, however many receivers it has.
 */
export function inTurns(columns: {
  readonly accountNo: RawBuilder<unknown>;
  readonly dueUs: RawBuilder<unknown>;
  readonly receiver: RawBuilder<unknown>;
}): RawBuilder<unknown> {
  const { accountNo, dueUs, receiver } = columns;
  return sql`row_number() over (partition by ${accountNo} order by ${dueUs}, ${receiver}), ${dueUs}, ${receiver}`;
}

/** The host with its port of an address in a column; `otherwise` where it is no web address. */
export function hostOf(address: RawBuilder<unknown>, otherwise: RawBuilder<unknown>): RawBuilder<string> {
  return sql`coalesce(lower(substring(${address} from '^[A-Za-z]+://(?:[^/@]*@)?([^/?#]+)')), ${otherwise}, '')`;
}
