import { minuteUs } from '@vantage/domain';
import { type Clock, every } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** A lease that was taken. Work under it checks name, holder and epoch again in its transaction (`ownsLease`). */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly epoch: number;
}

/** The database's clock, so that controllers with different clocks agree which leases have expired. */
const nowUs = sql<number>`(extract(epoch from clock_timestamp()) * 1e6)::bigint`;

/** No lease is longer: one that ends later was taken while the database's clock was ahead, and counts as expired. */
const maxTtlUs = sql.lit(10 * minuteUs);

/**
 * Takes the leases that are free, expired or already owned by the holder. A lease that the holder owns is renewed in
 * the last third of its time only, so that frequent calls write little. The epoch grows whenever the holder changes, so
 * that `ownsLease` recognizes a stalled earlier holder.
 */
export async function takeLeases(
  db: Kysely<Tables>,
  names: readonly string[],
  holder: string,
  ttlMs: number,
): Promise<Lease[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<Lease>`
    with fresh as (
      select name, holder, epoch from leases
      where name = any(${names}::text[]) and holder = ${holder} and expires_us > ${nowUs} + ${Math.round((ttlMs * 1000) / 3)}::bigint
        and expires_us <= ${nowUs} + ${maxTtlUs}::bigint),
    taken as (
      insert into leases (name, holder, epoch, expires_us)
      select name, ${holder}, 1, ${nowUs} + ${ttlMs * 1000}::bigint
      from unnest(${[...names].sort()}::text[]) as name where name not in (select name from fresh)
      on conflict (name) do update set
        holder = excluded.holder,
        epoch = leases.epoch + (leases.holder <> excluded.holder)::int,
        expires_us = excluded.expires_us
      where leases.holder = excluded.holder or leases.expires_us < ${nowUs}
        or leases.expires_us > ${nowUs} + ${maxTtlUs}::bigint
      returning name, holder, epoch)
    select * from fresh union all select * from taken`.execute(db);
  return rows;
}

/** A lease that is renewed until this is disposed. */
export interface LeaseRenewal extends Disposable {
  /** True: another holder has the lease, or it expired because the database did not answer. The work must end. */
  readonly isLost: boolean;
}

/** Renews a lease for work that may take longer. */
export function renewLease(deps: {
  readonly db: Kysely<Tables>;
  readonly lease: Lease;
  readonly ttlMs: number;
  readonly clock: Pick<Clock, 'monoMs' | 'timer'>;
}): LeaseRenewal {
  const { db, lease, ttlMs, clock } = deps;
  let renewedMs = clock.monoMs();
  let isTaken = false;
  const renew = async () => {
    const atMs = clock.monoMs();
    const [renewed] = await takeLeases(db, [lease.name], lease.holder, ttlMs);
    if (renewed?.epoch === lease.epoch) renewedMs = Math.max(renewedMs, atMs);
    else isTaken = true;
  };
  // A failed renewal is noticed by the time of the last successful one.
  const timer = every(clock, ttlMs / 6, () => void renew().catch(() => {}));
  return {
    get isLost() {
      // At the last renewal, at least a third of the time was left.
      return isTaken || clock.monoMs() - renewedMs > ttlMs / 3;
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}

/** Whether the holder still owns the lease. Locks the row, so that no other holder takes it during the transaction. */
export async function ownsLease(trx: Kysely<Tables>, lease: Lease): Promise<boolean> {
  const { rows } = await sql`
    select 1 from leases
    where name = ${lease.name} and holder = ${lease.holder} and epoch = ${lease.epoch} and expires_us > ${nowUs}
    for share`.execute(trx);
  return rows.length > 0;
}

/** Releases the holder's leases whose names start with `prefix`, so that others need not wait until they expire. */
export async function releaseLeases(db: Kysely<Tables>, holder: string, prefix: string): Promise<void> {
  await sql`
    update leases set expires_us = 0 where holder = ${holder} and starts_with(name, ${prefix})`.execute(db);
}
