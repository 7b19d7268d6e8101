import { type Kysely, sql } from 'kysely';
import { intArray } from './binary-array.ts';
import type { Tables } from './schema.ts';

/** The first key of the advisory locks; the second key is the number of the device or agent. */
const family = { device: 0x7601, agent: 0x7602, packing: 0x7604, checkNow: 0x7605 } as const;

/**
 * Locks these devices until the transaction ends. Every transaction that folds results or changes `device_state` takes
 * this lock first. The locks are taken in the order of the numbers, so that two batches cannot deadlock.
 */
export async function lockDevices(trx: Kysely<Tables>, deviceNos: Iterable<number>): Promise<void> {
  await lock(trx, family.device, deviceNos);
}

/** A device that is locked: its Method, and when it was created. */
export interface LockedDevice {
  readonly method: string;
  readonly createdUs: number;
}

/**
 * `lockDevices` for those of these numbers that are devices of the account, so that no client can lock the devices of
 * another account. Returns those by their numbers.
 */
export async function lockDevicesOf(
  trx: Kysely<Tables>,
  accountNo: number,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, LockedDevice>> {
  if (deviceNos.length === 0) return new Map();
  // One row with a text is read much faster than one row for each device. The aggregate takes the locks in the order of
  // the numbers.
  const { rows } = await sql<{ locked: string | null }>`
    select count(pg_advisory_xact_lock(${family.device}::int, device_no)) as locks,
      string_agg(device_no || ' ' || created_us || ' ' || method, ',') as locked
    from (select device_no, created_us, method from devices where device_no = any(${intArray([...new Set(deviceNos)])}::int[])
      and account_no = ${accountNo} order by device_no) own`.execute(trx);
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

/** Locks the requests for checks now of one device until the transaction ends. */
export async function lockCheckNow(trx: Kysely<Tables>, deviceNo: number): Promise<void> {
  await lock(trx, family.checkNow, [deviceNo]);
}

/**
 * Locks the packing of old days until the transaction ends. Who packs holds the lock alone; those who read rows of old
 * days and then packed days share it, so that no check is packed between.
 */
export async function lockPacking(trx: Kysely<Tables>, how: 'alone' | 'shared'): Promise<void> {
  const name = how === 'alone' ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
  await sql`select ${name}(${family.packing}::int, 0)`.execute(trx);
}

async function lock(trx: Kysely<Tables>, space: number, keys: Iterable<number>): Promise<void> {
  const sorted = [...new Set(keys)].sort((a, b) => a - b);
  if (sorted.length === 0) return;
  await sql`select pg_advisory_xact_lock(${space}::int, key) from unnest(${intArray(sorted)}::int[]) as key`.execute(
    trx,
  );
}

/**
 * Locks a request until the transaction ends; false: another transaction has this lock. `digest` has at least eight
 * bytes. One key of 64 bits never meets the locks of two keys.
 */
export async function tryLockRequest(trx: Kysely<Tables>, digest: Buffer): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${String(digest.readBigInt64BE())}::bigint) as locked`.execute(trx);
  return rows[0]?.locked === true;
}
