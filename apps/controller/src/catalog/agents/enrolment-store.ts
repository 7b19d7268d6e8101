import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { AgentEnrolment, EnrolmentRow } from '../../agents/enrol/index.ts';

/**
 * Stores the columns of agents that enrolment uses. The agent itself requests its certificate, so no actor changes
 * anything here.
 */
export const agentEnrolment: AgentEnrolment = {
  findByToken: (trx, tokenHash) => find(trx, 'token_hash', tokenHash),

  async knowsToken(trx, tokenHash) {
    const query = trx.selectFrom('agents').select('agent_no').where('token_hash', '=', tokenHash);
    return (await query.executeTakeFirst()) !== undefined;
  },

  async lockKey(trx, keyHash) {
    const key = Buffer.from(keyHash).readBigInt64BE();
    await sql`select pg_advisory_xact_lock(${key}::bigint)`.execute(trx);
  },

  findByKey: (trx, keyHash) => find(trx, 'key_hash', keyHash),

  async keep(trx, agentNo, { keyHash, certificate, certificateEndUs, tokenUsedUs }) {
    await trx
      .updateTable('agents')
      .set({
        key_hash: keyHash,
        certificate,
        certificate_end_us: certificateEndUs,
        ...(tokenUsedUs !== undefined && { token_used_us: tokenUsedUs }),
      })
      .where('agent_no', '=', agentNo)
      .execute();
  },
};

async function find(
  trx: Kysely<Tables>,
  column: 'token_hash' | 'key_hash',
  hash: Uint8Array,
): Promise<EnrolmentRow | undefined> {
  const row = await trx
    .selectFrom('agents')
    .select(['agent_no as agentNo', 'agent_id as agentId', 'state', 'removed_at'])
    .select(['token_expires_us as tokenExpiresUs', 'token_used_us as tokenUsedUs', 'key_hash as keyHash'])
    .select(['certificate', 'certificate_end_us as certificateEndUs'])
    .where(column, '=', hash)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { state, removed_at: removedAt, ...facts } = row;
  return { ...facts, isRevoked: state === 'Revoked' || removedAt !== null };
}
