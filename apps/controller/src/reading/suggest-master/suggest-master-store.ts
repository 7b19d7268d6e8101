import { isIP } from 'node:net';
import { dayUs } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { CandidateMaster, TracedWay } from './suggest-master.ts';

/** The span and the maximum number of checks to read. */
const searchedUs = 30 * dayUs;
const maxPaths = 50;

const storedTraceroute = z.object({
  Reached: z.boolean().catch(false),
  Hops: z.array(z.object({ Address: z.string().nullable() })),
});

/**
 * The newest traceroutes of the device's checks, failed or requested, and the addresses that these checks used. Checks
 * from before the last change of its target do not count: the way to the earlier target says nothing.
 */
export async function tracedWays(
  db: Kysely<Tables>,
  deviceNo: number,
  nowUs: number,
): Promise<{ readonly ways: readonly TracedWay[]; readonly ownAddresses: ReadonlySet<string> }> {
  const rows = await readTracedChecks(db, deviceNo, nowUs);
  const ways = rows.flatMap(({ locationNo, traceroute }) => {
    const parsed = storedTraceroute.safeParse(traceroute);
    if (!parsed.success) return [];
    const { Hops, Reached } = parsed.data;
    return [{ locationNo, hops: Hops.map(({ Address }) => Address), isReached: Reached }];
  });
  return { ways, ownAddresses: new Set(rows.flatMap(({ address }) => addressesIn(address))) };
}

/** A check that a traceroute belongs to. */
export interface TracedCheck {
  readonly deviceNo: number;
  readonly startUs: number;
  readonly agentNo: number;
  readonly locationNo: number;
  readonly checkResult: string;
  /** As its agent sent it. */
  readonly traceroute: unknown;
  /** The addresses that the check used. */
  readonly address: string | null;
}

/** The newest checks of a device with traceroutes of its present target, newest first. */
export async function readTracedChecks(
  db: Kysely<Tables>,
  deviceNo: number,
  nowUs: number,
): Promise<readonly TracedCheck[]> {
  return (await tracedChecks(deviceNo, nowUs).execute(db)).rows;
}

/**
 * The statement behind `readTracedChecks`. It has the words of the partial indexes: good checks without a run request,
 * nearly all, are not read.
 */
export function tracedChecks(deviceNo: number, nowUs: number) {
  const tracedOf = (which: RawBuilder<unknown>) => sql`(
    select device_no, start_us, agent_no, location_no, check_result, extended from checks
    where device_no = ${deviceNo} and start_us > ${nowUs - searchedUs}::bigint and ${which}
      and start_us >= (select changed_us from devices where device_no = ${deviceNo}) and extended ? 'Traceroute'
    order by start_us desc, agent_no desc limit ${maxPaths})`;
  return sql<TracedCheck>`
    select device_no as "deviceNo", start_us as "startUs", agent_no as "agentNo", location_no as "locationNo",
      check_result as "checkResult", extended -> 'Traceroute' as traceroute, extended ->> 'Address' as address
    from (${tracedOf(sql`code <> 1`)} union all ${tracedOf(sql`run_request_id is not null and code = 1`)}) traced
    order by start_us desc, agent_no desc limit ${maxPaths}`;
}

/**
 * The account's devices that may be a master of this one: neither itself nor behind it. Their addresses are those of
 * the last day's newest check.
 */
export async function masterCandidates(
  db: Kysely<Tables>,
  {
    accountNo,
    deviceNo,
    nowUs,
  }: { readonly accountNo: number; readonly deviceNo: number; readonly nowUs: number },
): Promise<readonly CandidateMaster[]> {
  const { rows } = await sql<{ deviceId: string; name: string; method: string; address: string | null }>`
    with recursive behind as (select ${deviceNo}::int as device_no
      union select d.device_no from devices d join behind b on d.master_no = b.device_no)
    select d.device_id as "deviceId", d.short_name as name, d.method, c.address
    from devices d cross join lateral (
      select extended ->> 'Address' as address from checks where device_no = d.device_no and start_us > ${nowUs - dayUs}::bigint
        order by start_us desc, agent_no desc limit 1) c
    where d.account_no = ${accountNo} and d.device_no not in (select device_no from behind)
    order by d.device_no`.execute(db);
  return rows.map(({ deviceId, name, method, address }) => ({
    deviceId,
    name,
    isPing: method === 'PING',
    addresses: addressesIn(address),
  }));
}

/** The addresses of a text such as `192.0.2.1:443, [2001:db8::1]:443`. */
function addressesIn(text: string | null): readonly string[] {
  return (text ?? '').split(/[\s,]+/).flatMap((piece) => {
    const host = isIP(piece) === 0 ? piece.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') : piece;
    return isIP(host) === 0 ? [] : [host];
  });
}
