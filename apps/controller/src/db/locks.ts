import { type Kysely, sql } from 'kysely';
import type { Tables } from './schema.ts';

/** Families of advisory locks; the second key is a number of the family's things. */
const family = { device: 0x7601, agent: 0x7602 } as const;

/**
 * Holds the story of these devices until the transaction ends: whoever folds results or changes `device_state` takes it first. Taken
 * in order, so that two batches never wait for each other.
 */
export async function lockDevices(trx: Kysely<Tables>, deviceNos: Iterable<number>): Promise<void> {
  await lock(trx, family.device, deviceNos);
}

/** `lockDevices` for those of these numbers that are devices of the account: nobody holds up another account by naming its devices. */
export async function lockDevicesOf(
  trx: Kysely<Tables>,
  accountNo: number,
  deviceNos: readonly number[],
): Promise<void> {
  if (deviceNos.length === 0) return;
  await sql`
    select pg_advisory_xact_lock(${family.device}::int, device_no)
    from (select device_no from devices where device_no = any(${[...new Set(deviceNos)]}::int[])
      and account_no = ${accountNo} order by device_no) own`.execute(trx);
}

/** Holds what is told about one agent (coverage) until the transaction ends. */
export async function lockAgent(trx: Kysely<Tables>, agentNo: number): Promise<void> {
  await lock(trx, family.agent, [agentNo]);
}

async function lock(trx: Kysely<Tables>, space: number, keys: Iterable<number>): Promise<void> {
  const sorted = [...new Set(keys)].sort((a, b) => a - b);
  if (sorted.length === 0) return;
  await sql`select pg_advisory_xact_lock(${space}::int, key) from unnest(${sorted}::int[]) as key`.execute(
    trx,
  );
}
