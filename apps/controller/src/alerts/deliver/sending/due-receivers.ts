import type { Tables } from '@vantage/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Due, SlotGroup } from './slots.ts';

/** The receivers to leave out, and the slow ones. */
export interface TakenSlots {
  /** `fullNames`, and names of receivers that are paused. */
  readonly full: readonly string[];
  /** Receivers whose latest attempt took long. */
  readonly slow: readonly string[];
}

/**
 * Reads receivers that are due and have a free slot, in turns by account. `tables` are the common table expressions of
 * the statement; the last one is `due`, with the columns account_no, receiver, host, failing and due_us. `keys` are the
 * columns of `D` besides those of `Due`.
 */
export async function readDueReceivers<D extends Due>(
  db: Kysely<Tables>,
  {
    tables,
    keys,
    taken,
    limit,
  }: {
    readonly tables: RawBuilder<unknown>;
    readonly keys: RawBuilder<unknown>;
    readonly taken: TakenSlots;
    readonly limit: number;
  },
): Promise<readonly D[]> {
  const { rows } = await sql<D>`
    with recursive ${tables}
    select ${keys}, account_no as "accountNo", receiver, host, failing as "isFailing", ${isSlow(taken)} as "isSlow"
    from due where ${hasSlot(taken)} order by ${inTurns(dueColumns)} limit ${limit}`.execute(db);
  return rows;
}

const dueColumns = {
  accountNo: sql.ref('due.account_no'),
  receiver: sql.ref('due.receiver'),
  dueUs: sql.ref('due.due_us'),
};

function isSlow({ slow }: TakenSlots): RawBuilder<boolean> {
  return sql`${namesAsJson(slow)}::jsonb ? due.receiver`;
}

/** An object with these keys: PostgreSQL finds one of many keys without a scan. */
function namesAsJson(names: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
}

/**
 * Receivers without a free slot are not read, because those of one account would keep the receivers of other accounts
 * from being read.
 */
function hasSlot(taken: TakenSlots): RawBuilder<boolean> {
  const full = namesAsJson(taken.full);
  const isFull = (group: SlotGroup) => {
    const prefix = sql.lit(`${group} `);
    return sql`${full}::jsonb ?| array[${prefix} || 'total', ${prefix} || 'account ' || due.account_no,
      ${prefix} || 'host ' || due.host, ${prefix} || 'account ' || due.account_no || ' host ' || due.host,
      ${prefix} || 'receiver ' || due.receiver]`;
  };
  return sql`not (${isFull('all')} or (${isSlow(taken)} and ${isFull('slow')})
    or (due.failing and ${isFull('failing')}))`;
}

/**
 * The order of turns: first the receiver of each account that has waited longest, then the second ones, and so on. So
 * no account keeps another one waiting, however many receivers it has.
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
