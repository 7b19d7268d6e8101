import { isIP } from 'node:net';
import { dayUs, resultCode } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../db/index.ts';
import type { Candidate, TracedWay } from './suggest-master.ts';

/** How far back failed checks are read, and how many of them. */
const searchedUs = 30 * dayUs;
const mostWays = 50;

const storedHops = z.array(z.object({ Address: z.string().nullable() }));

/** The newest traceroutes of the device's failed checks, and the addresses that these checks used. */
export async function tracedWays(
  db: Kysely<Tables>,
  deviceNo: number,
  nowUs: number,
): Promise<{ readonly ways: readonly TracedWay[]; readonly ownAddresses: ReadonlySet<string> }> {
  const { rows } = await sql<{ locationNo: number; hops: unknown; address: string | null }>`
    select location_no as "locationNo", extended #> '{Traceroute,Hops}' as hops, extended ->> 'Address' as address
    from checks where device_no = ${deviceNo} and start_us > ${nowUs - searchedUs}::bigint and code <> ${resultCode.ok}
      and extended ? 'Traceroute'
    order by start_us desc, agent_no desc limit ${mostWays}`.execute(db);
  const ways = rows.flatMap(({ locationNo, hops }) => {
    const parsed = storedHops.safeParse(hops);
    return parsed.success ? [{ locationNo, hops: parsed.data.map(({ Address }) => Address) }] : [];
  });
  return { ways, ownAddresses: new Set(rows.flatMap(({ address }) => addressesIn(address))) };
}

/** The account's devices that may be a master of this one: neither itself nor behind it. Their addresses are those of the last day's newest check. */
export async function masterCandidates(
  db: Kysely<Tables>,
  {
    accountNo,
    deviceNo,
    nowUs,
  }: { readonly accountNo: number; readonly deviceNo: number; readonly nowUs: number },
): Promise<readonly Candidate[]> {
  const { rows } = await sql<{ deviceId: string; name: string; method: string; address: string | null }>`
    with recursive behind as (select ${deviceNo}::int as device_no
      union select d.device_no from devices d join behind b on d.master_no = b.device_no)
    select d.device_id as "deviceId", d.short_name as name, d.method, c.address
    from devices d cross join lateral (
      select extended ->> 'Address' as address from checks
      where device_no = d.device_no and start_us > ${nowUs - dayUs}::bigint order by start_us desc, agent_no desc limit 1) c
    where d.account_no = ${accountNo} and d.device_no not in (select device_no from behind)
    order by d.device_no`.execute(db);
  return rows.map(({ deviceId, name, method, address }) => ({
    ...{ deviceId, name, isPing: method === 'PING', addresses: addressesIn(address) },
  }));
}

/** The addresses of a text such as `192.0.2.1:443, [2001:db8::1]:443`. */
function addressesIn(text: string | null): readonly string[] {
  return (text ?? '').split(/[\s,]+/).flatMap((piece) => {
    const host = isIP(piece) === 0 ? piece.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') : piece;
    return isIP(host) === 0 ? [] : [host];
  });
}
