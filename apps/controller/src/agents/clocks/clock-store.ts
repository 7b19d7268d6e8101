import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { AccountOffset } from './agents-word.ts';
import { correctionAtStart, type StoredTime } from './judge-clock.ts';
import type { SharedClock } from './shared-clock.ts';

const bootIdFile = '/proc/sys/kernel/random/boot_id';

/** The times that a controller reads from the database, microseconds since 1970. */
export interface DatabaseTime {
  /** Its own clock. */
  readonly databaseUs: number;
  /** Controllers add this to it. */
  readonly correctionUs: number;
  /** The number of changes of the correction. */
  readonly correctionNo: number;
  /** A step to the time with this correction is made at this time of its own clock. */
  readonly appliesUs: number;
  /** Undefined: no controller has written it yet. */
  readonly stored: StoredTime | undefined;
}

/** Reads the clock of the database, and what is stored about the time. */
export async function readDatabaseTime(kysely: Kysely<Tables>): Promise<DatabaseTime> {
  const { rows } = await sql<{
    us: number;
    agreedUs: number | null;
    seenUs: number | null;
    correctionUs: number | null;
    correctionNo: number | null;
    appliesUs: number | null;
  }>`
    select (extract(epoch from clock_timestamp()) * 1e6)::bigint as us, agreed_us as "agreedUs", seen_us as "seenUs",
      correction_us as "correctionUs", correction_no as "correctionNo", applies_us as "appliesUs"
    from (select 1) here left join clock_evidence on true`.execute(kysely);
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no time');
  const { us: databaseUs, agreedUs, seenUs, correctionUs, correctionNo, appliesUs } = row;
  return {
    databaseUs,
    correctionUs: correctionUs ?? 0,
    correctionNo: correctionNo ?? 0,
    appliesUs: appliesUs ?? 0,
    stored: agreedUs === null || seenUs === null ? undefined : { agreedUs, seenUs },
  };
}

/** The time of a database whose tables an earlier version made. */
async function readDatabaseClock(kysely: Kysely<Tables>): Promise<DatabaseTime> {
  const { rows } = await sql<{ us: number }>`
    select (extract(epoch from clock_timestamp()) * 1e6)::bigint as us`.execute(kysely);
  return {
    databaseUs: rows[0]?.us ?? Number.NaN,
    correctionUs: 0,
    correctionNo: 0,
    appliesUs: 0,
    stored: undefined,
  };
}

/** Stores the time of the first controller. */
export async function beginStoredTime(kysely: Kysely<Tables>, nowUs: number): Promise<void> {
  await sql`
    insert into clock_evidence (agreed_us, seen_us) values (${nowUs}, ${nowUs}) on conflict do nothing`.execute(
    kysely,
  );
}

/** Corrects the database's clock by this, unless a controller did so since `before`. Returns whether it did. */
export async function storeCorrection(
  kysely: Kysely<Tables>,
  before: Pick<DatabaseTime, 'correctionNo'>,
  { correctionUs, appliesUs }: Pick<DatabaseTime, 'correctionUs' | 'appliesUs'>,
): Promise<boolean> {
  const { rows } = await sql`
    update clock_evidence set correction_us = ${Math.round(correctionUs)}::bigint, correction_no = correction_no + 1,
      applies_us = ${Math.round(appliesUs)}::bigint
    where correction_no = ${before.correctionNo} returning 1`.execute(kysely);
  return rows.length > 0;
}

/** A program that runs for a moment takes the time that the controllers share. */
export async function followDatabase(kysely: Kysely<Tables>, clock: SharedClock): Promise<void> {
  const read = await readDatabaseTime(kysely).catch(() => readDatabaseClock(kysely));
  const machineUs = clock.nowUs();
  clock.moveBy(read.databaseUs + correctionAtStart({ ...read, machineUs }) - machineUs);
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
  /** Their number, whatever machines their agents run on. */
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

/**
 * Lets the proven time pass by `elapsedUs`, at most to `nowUs`, and never back. `isConfirmed`: other clocks confirm
 * that it is `nowUs`. Returns the proven time, and the latest time that a controller had.
 */
export async function advanceStoredTime(
  kysely: Kysely<Tables>,
  {
    nowUs,
    elapsedUs,
    isConfirmed,
  }: { readonly nowUs: number; readonly elapsedUs: number; readonly isConfirmed: boolean },
): Promise<{ readonly agreedUs: number; readonly latestUs: number }> {
  const { rows } = await sql<{ agreedUs: number; latestUs: number }>`
    insert into clock_evidence as e (agreed_us, seen_us, latest_us) values (${nowUs}, ${nowUs}, ${nowUs})
    on conflict (one) do update set seen_us = excluded.seen_us, latest_us = greatest(e.latest_us, excluded.latest_us),
      agreed_us = case when ${isConfirmed} then excluded.agreed_us
        else greatest(e.agreed_us, least(excluded.agreed_us, e.agreed_us + ${Math.round(elapsedUs)}::bigint)) end
    returning agreed_us as "agreedUs", latest_us as "latestUs"`.execute(kysely);
  return rows[0] ?? { agreedUs: nowUs, latestUs: nowUs };
}
