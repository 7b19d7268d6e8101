import { type Kysely, sql } from 'kysely';
import { intArray } from '../rows/binary-array.ts';
import type { Tables } from '../schema/tables.ts';

/** The first key of the advisory locks; the second key is the number of the device or agent. */
const family = { device: 0x7601, agent: 0x7602, sums: 0x7604, checkNow: 0x7605 } as const;

/**
 * Locks these devices until the transaction ends. Every transaction that folds results or changes `device_state` takes
 * this lock first. The locks are taken in the order of the numbers, so that two batches cannot deadlock.
 */
export async function lockDevices(trx: Kysely<Tables>, deviceNos: Iterable<number>): Promise<void> {
  await lock(trx, family.device, deviceNos);
}

export interface LockedDevice {
  readonly method: string;
  readonly createdUs: number;
}

/**
 * `lockDevices` without the devices of other accounts, so that no client can lock them. Returns the locked devices by
 * number.
 */
export async function lockDevicesOf(
  trx: Kysely<Tables>,
  accountNo: number,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, LockedDevice>> {
  if (deviceNos.length === 0) return new Map();
  // One row with a text is read much faster than one row per device. The aggregate takes the locks in the order of the
  // numbers.
  const { rows } = await sql<{ locked: string | null }>`
    select count(pg_advisory_xact_lock(${family.device}::int, device_no)) as locks,
      string_agg(device_no || ' ' || created_us || ' ' || method, ',') as locked
    from (select device_no, created_us, method from devices where device_no = any(${intArray([...new Set(deviceNos)])}::int[])
      and account_no = ${accountNo} order by device_no) devices_of_account`.execute(trx);
  const pairs = rows[0]?.locked?.split(',') ?? [];
  return new Map(
    pairs.map((pair) => {
      const [deviceNo, createdUs, ...method] = pair.split(' ');
      return [Number(deviceNo), { createdUs: Number(createdUs), method: method.join(' ') }];
    }),
  );
}

/** Locks the coverage of one agent until the transaction ends. */
export async function lockAgent(trx: Kysely<Tables>, agentNo: number): Promise<void> {
  await lock(trx, family.agent, [agentNo]);
}

/** Locks the requests for immediate checks of one device until the transaction ends. */
export async function lockCheckNow(trx: Kysely<Tables>, deviceNo: number): Promise<void> {
  await lock(trx, family.checkNow, [deviceNo]);
}

/**
 * Locks what is derived from checks (roll-ups and packed days) until the transaction ends. Every transaction that
 * writes either, or rewrites a partition, takes this lock first: a sum is then computed from all checks of its hour,
 * rows and packed ones, and no two transactions compute the same day. Locks of devices are taken after it.
 */
export async function lockSums(trx: Kysely<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${family.sums}::int, 0)`.execute(trx);
}

async function lock(trx: Kysely<Tables>, space: number, keys: Iterable<number>): Promise<void> {
  const sorted = [...new Set(keys)].sort((a, b) => a - b);
  if (sorted.length === 0) return;
  await sql`select pg_advisory_xact_lock(${space}::int, key) from unnest(${intArray(sorted)}::int[]) as key`.execute(
    trx,
  );
}

/**
 * Locks a request until the transaction ends; false: another transaction has the lock. `digest` has at least eight
 * bytes. A lock with one key of 64 bits never collides with the locks of two keys.
 */
export async function tryLockRequest(trx: Kysely<Tables>, digest: Buffer): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${String(digest.readBigInt64BE())}::bigint) as locked`.execute(trx);
  return rows[0]?.locked === true;
}
