import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';
import { isNear } from './classify-clock.ts';
import type { HeldClock } from './held-clock.ts';
import type { AccountOffset } from './objections.ts';

const bootIdFile = '/proc/sys/kernel/random/boot_id';

/** The clock of the database, microseconds since 1970. */
export async function databaseNowUs(kysely: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ us: number }>`
    select (extract(epoch from clock_timestamp()) * 1e6)::bigint as us`.execute(kysely);
  return rows[0]?.us ?? Number.NaN;
}

/** A program that runs for a moment takes the database's time where its clock is more than a minute from it. */
export async function followDatabase(kysely: Kysely<Tables>, clock: HeldClock): Promise<void> {
  const aheadUs = (await databaseNowUs(kysely)) - clock.nowUs();
  if (!isNear(aheadUs)) clock.moveBy(aheadUs);
}

/**
 * Whether the database runs on another machine, as far as it tells: containers of one machine have one boot id. A role
 * that may not read files of the server proves it by the server's address only.
 */
export async function isDatabaseApart(kysely: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ address: string | null }>`
    select host(inet_server_addr()) as address`.execute(kysely);
  const address = rows[0]?.address ?? undefined;
  if (address === undefined || ownAddresses().has(address)) return false;
  const here = readOwnBootId();
  const there = await readBootId(kysely);
  return here === undefined || there === undefined || here !== there;
}

function ownAddresses(): ReadonlySet<string> {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return new Set(['127.0.0.1', '::1', ...addresses.map(({ address }) => address)]);
}

function readOwnBootId(): string | undefined {
  try {
    return readFileSync(bootIdFile, 'utf8').trim();
  } catch {
    return undefined;
  }
}

async function readBootId(kysely: Kysely<Tables>): Promise<string | undefined> {
  const { rows: permitted } = await sql<{ may: boolean }>`
    select has_function_privilege('pg_read_file(text)', 'execute') as may`.execute(kysely);
  if (permitted[0]?.may !== true) return undefined;
  const { rows } = await sql<{ id: string | null }>`
    select pg_read_file(${bootIdFile}) as id`
    .execute(kysely)
    .catch(() => ({ rows: [] }));
  return rows[0]?.id?.trim();
}

/** The accounts with agents that are connected to this controller. */
export interface ConnectedAccounts {
  /** Those with agents on other machines than `hostName`. */
  readonly accounts: readonly AccountOffset[];
  /** How many there are, whatever machines their agents run on. */
  readonly accountsInAll: number;
}

/** Offsets are measured against the controller that has the stream, so those of other controllers say nothing here. */
export async function connectedAccounts(
  kysely: Kysely<Tables>,
  { hostName, gatewayId }: { readonly hostName: string; readonly gatewayId: string },
): Promise<ConnectedAccounts> {
  const { rows } = await sql<{ accountNo: number; us: number | null }>`
    select account_no as "accountNo", (percentile_disc(0.5) within group (order by clock_offset_us)
      filter (where host_name is distinct from ${hostName}))::bigint as us
    from agents where state = 'Connected' and gateway_id = ${gatewayId} group by account_no
    order by account_no limit 10000`.execute(kysely);
  const accounts = rows.flatMap(({ accountNo, us }) => (us === null ? [] : [{ accountNo, aheadUs: -us }]));
  return { accounts, accountsInAll: rows.length };
}

/** The names of these accounts, at most five, for the operator. */
export async function accountNames(
  kysely: Kysely<Tables>,
  accountNos: readonly number[],
): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from accounts where account_no = any(${accountNos}::int[]) order by name limit 5`.execute(
    kysely,
  );
  return rows.map(({ name }) => name);
}

/** The time that the stored data proves; microseconds since 1970. */
export interface StoredTime {
  readonly agreedUs: number;
  /** The clock of the controller that wrote it last. */
  readonly seenUs: number;
}

/** Undefined: no controller has written it yet. */
export async function readStoredTime(kysely: Kysely<Tables>): Promise<StoredTime | undefined> {
  const { rows } = await sql<StoredTime>`
    select agreed_us as "agreedUs", seen_us as "seenUs" from clock_evidence`.execute(kysely);
  return rows[0];
}

/**
 * Lets the proven time pass by `elapsedUs`, at most to `nowUs`, and never back. `isConfirmed`: other clocks confirm
 * that it is `nowUs`. Returns the proven time.
 */
export async function advanceStoredTime(
  kysely: Kysely<Tables>,
  {
    nowUs,
    elapsedUs,
    isConfirmed,
  }: { readonly nowUs: number; readonly elapsedUs: number; readonly isConfirmed: boolean },
): Promise<number> {
  const { rows } = await sql<{ us: number }>`
    insert into clock_evidence as e (agreed_us, seen_us) values (${nowUs}, ${nowUs})
    on conflict (one) do update set seen_us = excluded.seen_us,
      agreed_us = case when ${isConfirmed} then excluded.agreed_us
        else greatest(e.agreed_us, least(excluded.agreed_us, e.agreed_us + ${Math.round(elapsedUs)}::bigint)) end
    returning agreed_us as us`.execute(kysely);
  return rows[0]?.us ?? nowUs;
}
