import { Fault } from '@vantage/kernel';
import type { Reader, Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { describe, type Item, isWhole } from './sort-items.ts';

/** A record that ingest does not store. */
export interface RefusedRecord {
  readonly item: Item;
  readonly reason: string;
  /** It is taken in again later: when the clocks agree, or when the server of its packed days answers. */
  readonly waits: boolean;
}

/** The maximum of waiting records of an agent; further records stay at the agent. */
const maxWaiting = 2_000;

/**
 * Quarantines records. Items that were in quarantine leave it, unless they are refused again. Throws a Fault
 * of the kind `retry` when a record should wait and cannot.
 */
export async function writeQuarantine(
  trx: Kysely<Tables>,
  { agentNo, receivedUs }: { readonly agentNo: number; readonly receivedUs: number },
  items: readonly Item[],
  refused: readonly RefusedRecord[],
): Promise<void> {
  const fresh = refused.filter(({ item }) => item.quarantinedNo === undefined);
  const waiting = fresh.filter(({ waits }) => waits);
  if (waiting.length > 0) await requireRoom(trx, agentNo, waiting);
  if (fresh.length > 0)
    await sql`
      insert into quarantined (agent_no, received_us, reason, record, waits)
      select ${agentNo}, ${receivedUs}, reason, record, waits
      from unnest(${fresh.map(({ reason }) => reason)}::text[], ${fresh.map(({ item }) => describe(item))}::jsonb[],
        ${fresh.map(({ waits }) => waits)}::boolean[]) as given (reason, record, waits)`.execute(trx);
  const again = refused.filter(({ item }) => item.quarantinedNo !== undefined);
  if (again.length > 0)
    await sql`
      update quarantined q set reason = given.reason, waits = given.waits
      from unnest(${again.map(({ item }) => item.quarantinedNo)}::bigint[], ${again.map(({ reason }) => reason)}::text[],
        ${again.map(({ waits }) => waits)}::boolean[]) as given (quarantined_no, reason, waits)
      where q.quarantined_no = given.quarantined_no`.execute(trx);
  const kept = new Set(again.map(({ item }) => item.quarantinedNo));
  const taken = items.flatMap(({ quarantinedNo: no }) => (no === undefined || kept.has(no) ? [] : [no]));
  if (taken.length > 0)
    await sql`delete from quarantined where quarantined_no = any(${taken}::bigint[])`.execute(trx);
}

async function requireRoom(
  trx: Kysely<Tables>,
  agentNo: number,
  waiting: readonly RefusedRecord[],
): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from quarantined where waits and agent_no = ${agentNo}`.execute(trx);
  if ((rows[0]?.count ?? 0) + waiting.length <= maxWaiting && waiting.every(({ item }) => isWhole(item)))
    return;
  throw new Fault('retry', 'no_room_to_wait', 'a record must wait in quarantine, which has no room for it');
}

/** An agent with records that wait. */
interface WaitingAgent {
  readonly agentNo: number;
  readonly accountNo: number;
  /** For the log. */
  readonly names: { readonly agent: string; readonly location: string };
}

/** The agents that have records which wait, with how many of them at most. */
export async function waitingAgents(kysely: Kysely<Tables>): Promise<readonly WaitingAgent[]> {
  // A removed agent has no records.
  await sql`
    update quarantined q set waits = false
    where q.waits and not exists (select from agents a where a.agent_no = q.agent_no)`.execute(kysely);
  const { rows } = await sql<WaitingAgent>`
    select a.agent_no as "agentNo", a.account_no as "accountNo",
      jsonb_build_object('agent', a.name, 'location', l.name) as names
    from agents a join locations l using (location_no)
    where exists (select from quarantined q where q.waits and q.agent_no = a.agent_no)
    order by a.agent_no limit 1000`.execute(kysely);
  return rows;
}

/** A record that waits, as JSON text. */
export interface WaitingRecord {
  readonly quarantinedNo: number;
  readonly record: string;
}

/** The oldest records of the agent that wait, after `afterNo`. */
export async function waitingRecords(
  kysely: Kysely<Tables>,
  agentNo: number,
  { afterNo, limit }: { readonly afterNo: number; readonly limit: number },
): Promise<readonly WaitingRecord[]> {
  const { rows } = await sql<WaitingRecord>`
    select quarantined_no as "quarantinedNo", record::text as record from quarantined
    where waits and agent_no = ${agentNo} and quarantined_no > ${afterNo}::bigint
    order by quarantined_no limit ${limit}`.execute(kysely);
  return rows;
}

/** These records cannot be read: they wait no more. */
export async function endWaiting(kysely: Kysely<Tables>, quarantinedNos: readonly number[]): Promise<void> {
  if (quarantinedNos.length === 0) return;
  await sql`update quarantined set waits = false where quarantined_no = any(${quarantinedNos}::bigint[])`.execute(
    kysely,
  );
}

/** Records of one agent that were quarantined for one reason. */
interface QuarantinedGroup {
  readonly account: string;
  readonly agent_id: string;
  readonly agent: string;
  readonly reason: string;
  readonly records: number;
  readonly waiting: number;
  readonly first_us: number;
  readonly last_us: number;
}

/** The quarantine by agent and reason, the latest first, at most 1,000 groups. */
export async function listQuarantined(
  kysely: Kysely<Tables>,
  accountNo: number | undefined,
): Promise<readonly QuarantinedGroup[]> {
  const { rows } = await sql<QuarantinedGroup>`
    select c.name as account, a.agent_id, a.name as agent, q.reason, count(*)::int as records,
      (count(*) filter (where q.waits))::int as waiting, min(q.received_us) as first_us, max(q.received_us) as last_us
    from quarantined q join agents a using (agent_no) join accounts c using (account_no)
    where a.account_no = coalesce(${accountNo ?? null}::int, a.account_no)
    group by c.name, a.agent_id, a.name, q.reason order by max(q.received_us) desc, a.agent_id, q.reason limit 1000`.execute(
    kysely,
  );
  return rows;
}

/** Of each agent, the newest records that are counted by reason. */
export const maxCounted = 1_000;

/** The quarantine of an account by agent and reason, the latest first, at most 1,000 groups. */
export async function groupsOfAccount(
  { kysely }: Reader,
  accountNo: number,
): Promise<readonly (Omit<QuarantinedGroup, 'account'> & { readonly location: string })[]> {
  const { rows } = await sql<Omit<QuarantinedGroup, 'account'> & { readonly location: string }>`
    select a.agent_id, a.name as agent, l.name as location, q.reason, count(*)::int as records,
      (count(*) filter (where q.waits))::int as waiting, min(q.received_us) as first_us, max(q.received_us) as last_us
    from agents a join locations l using (location_no) cross join lateral (
      select n.reason, n.waits, n.received_us from quarantined n where n.agent_no = a.agent_no
      order by n.quarantined_no desc limit ${maxCounted}) q
    where a.account_no = ${accountNo}
    group by a.agent_id, a.name, l.name, q.reason
    order by max(q.received_us) desc, a.agent_id, q.reason limit 1000`.execute(kysely);
  return rows;
}

/** An agent of the account that sent results, also one that was removed. */
export async function findSender(
  { kysely }: Reader,
  accountNo: number,
  agentId: string,
): Promise<{ readonly agent_id: string } | undefined> {
  return kysely
    .selectFrom('agents')
    .select('agent_id')
    .where('account_no', '=', accountNo)
    .where('agent_id', '=', agentId)
    .executeTakeFirst();
}

/** Lets the oldest records that fit wait to be taken in again. Returns their numbers. */
export async function retryQuarantined(
  trx: Kysely<Tables>,
  {
    accountNo,
    agentId,
    reason,
    limit,
  }: {
    readonly accountNo: number | undefined;
    readonly agentId: string | undefined;
    readonly reason: string | undefined;
    readonly limit: number;
  },
): Promise<readonly number[]> {
  const { rows } = await sql<{ no: number }>`
    update quarantined set waits = true where quarantined_no in (
      select q.quarantined_no from quarantined q join agents a using (agent_no)
      where not q.record ? 'left_out' and a.account_no = coalesce(${accountNo ?? null}::int, a.account_no)
        and a.agent_id = coalesce(${agentId ?? null}::text, a.agent_id)
        and q.reason = coalesce(${reason ?? null}::text, q.reason)
      order by q.quarantined_no limit ${limit} for update of q skip locked)
    returning quarantined_no as no`.execute(trx);
  return rows.map(({ no }) => no);
}

/** The number of these records that are in quarantine, and of those that wait. */
export async function countQuarantined(
  kysely: Kysely<Tables>,
  quarantinedNos: readonly number[],
): Promise<{ readonly left: number; readonly waiting: number }> {
  const { rows } = await sql<{ left: number; waiting: number }>`
    select count(*)::int as left, (count(*) filter (where waits))::int as waiting
    from quarantined where quarantined_no = any(${quarantinedNos}::bigint[])`.execute(kysely);
  return rows[0] ?? { left: 0, waiting: 0 };
}
