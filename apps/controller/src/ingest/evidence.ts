import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';
import type { ParsedEvidence } from './record.ts';

/** The extended data of one check hold no more than this after evidence was added, characters. */
const mostExtended = 512 * 1024;

/**
 * Adds evidence to the extended data of this agent's own checks. What the result told stays as it is, so the same evidence told again
 * changes nothing; a check that is not there any more has no use for it.
 */
export async function addEvidence(
  trx: Kysely<Tables>,
  agentNo: number,
  evidence: readonly ParsedEvidence[],
): Promise<void> {
  // One by one: a check may have several pieces in one batch, and evidence is rare.
  for (const { deviceNo, startUs, extended } of evidence) {
    await sql`
      update checks set extended = ${extended}::jsonb || coalesce(extended, '{}')
      where device_no = ${deviceNo} and start_us = ${startUs} and agent_no = ${agentNo}
        and coalesce(length(extended::text), 0) + ${extended.length}::int <= ${mostExtended}
        and not coalesce(extended, '{}') @> ${extended}::jsonb`.execute(trx);
  }
}
