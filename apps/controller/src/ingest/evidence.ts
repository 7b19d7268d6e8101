import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';
import type { ParsedEvidence } from './record.ts';
import type { CheckRow } from './rows.ts';

/** The extended data of one check hold no more than this after evidence was added, characters. */
const mostExtended = 512 * 1024;
/** So much evidence of one agent waits for its results; more is let go. */
const mostWaiting = 200;

/**
 * Adds evidence to the extended data of this agent's own checks. What the result told stays as it is, so the same evidence told again
 * changes nothing. After a cut what is new comes before the backlog: evidence that overtook its result waits for it, where that can
 * still come (a device of the agent's account, a start within `from` and `to`, microseconds since 1970).
 */
export async function addEvidence(
  trx: Kysely<Tables>,
  sender: { readonly agentNo: number; readonly accountNo: number },
  evidence: readonly ParsedEvidence[],
  times: { readonly fromUs: number; readonly toUs: number; readonly nowUs: number },
): Promise<void> {
  const { agentNo, accountNo } = sender;
  // One by one: a check may have several pieces in one batch, and evidence is rare.
  for (const { deviceNo, startUs, extended } of evidence) {
    if (await addTo(trx, agentNo, { deviceNo, startUs, extended })) continue;
    if (startUs < times.fromUs || startUs > times.toUs) continue;
    await sql`
      insert into evidence_waiting (agent_no, device_no, start_us, extended, received_us)
      select ${agentNo}, d.device_no, ${startUs}::bigint, ${extended}::jsonb, ${times.nowUs}::bigint
      from devices d where d.device_no = ${deviceNo} and d.account_no = ${accountNo}
        and (select count(*) from evidence_waiting where agent_no = ${agentNo}) < ${mostWaiting}
        and not exists (select 1 from evidence_waiting w where w.agent_no = ${agentNo}
          and w.device_no = ${deviceNo} and w.start_us = ${startUs}::bigint and w.extended = ${extended}::jsonb)`.execute(
      trx,
    );
  }
}

/** Gives checks that just came the evidence that waited for them. */
export async function addWaiting(
  trx: Kysely<Tables>,
  agentNo: number,
  inserted: readonly CheckRow[],
): Promise<void> {
  const failed = inserted.filter((row) => row.code !== 1);
  if (failed.length === 0) return;
  const { rows } = await sql<ParsedEvidence>`
    delete from evidence_waiting w
    using unnest(${failed.map((row) => row.device_no)}::int[], ${failed.map((row) => row.start_us)}::bigint[])
      as g (device_no, start_us)
    where w.agent_no = ${agentNo} and w.device_no = g.device_no and w.start_us = g.start_us
    returning w.device_no as "deviceNo", w.start_us as "startUs", w.extended::text as extended`.execute(trx);
  for (const one of rows) await addTo(trx, agentNo, one);
}

/** Lets go of what nobody came for. */
export async function dropWaiting(db: Kysely<Tables>, beforeUs: number): Promise<void> {
  await sql`delete from evidence_waiting where received_us < ${beforeUs}::bigint`.execute(db);
}

/** Whether the check is there; it has the evidence then, or no room for it. */
async function addTo(
  trx: Kysely<Tables>,
  agentNo: number,
  { deviceNo, startUs, extended }: ParsedEvidence,
): Promise<boolean> {
  await sql`
    update checks set extended = ${extended}::jsonb || coalesce(extended, '{}')
    where device_no = ${deviceNo} and start_us = ${startUs} and agent_no = ${agentNo}
      and coalesce(length(extended::text), 0) + ${extended.length}::int <= ${mostExtended}
      and not coalesce(extended, '{}') @> ${extended}::jsonb`.execute(trx);
  const { rows } = await sql`
    select 1 from checks where device_no = ${deviceNo} and start_us = ${startUs} and agent_no = ${agentNo}`.execute(
    trx,
  );
  return rows.length > 0;
}
