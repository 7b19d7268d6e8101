import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';

/**
 * Stores the columns of agents that enrolment uses. The agent itself asks for its certificate, so no actor changes
 * anything here.
 */
export const agentEnrolment = {
  /** The agent of a token, by the token's SHA-256. Its row is locked until the transaction ends. */
  findByToken: (trx: Kysely<Tables>, tokenHash: Uint8Array) => find(trx, 'token_hash', tokenHash),

  /** Whether an agent has the token with this SHA-256; locks nothing. */
  async knowsToken(trx: Kysely<Tables>, tokenHash: Uint8Array): Promise<boolean> {
    const query = trx.selectFrom('agents').select('agent_no').where('token_hash', '=', tokenHash);
    return (await query.executeTakeFirst()) !== undefined;
  },

  /**
   * Keeps other requests with this public key waiting until the transaction ends: two tokens with one key would both
   * find the key free.
   */
  async lockKey(trx: Kysely<Tables>, keyHash: Uint8Array): Promise<void> {
    const key = Buffer.from(keyHash).readBigInt64BE();
    await sql`select pg_advisory_xact_lock(${key}::bigint)`.execute(trx);
  },

  /** The agent of a public key, by the key's SHA-256. Its row is locked until the transaction ends. */
  findByKey: (trx: Kysely<Tables>, keyHash: Uint8Array) => find(trx, 'key_hash', keyHash),

  /** Stores a new certificate; with `tokenUsedUs` also when its token was used. */
  async keep(
    trx: Kysely<Tables>,
    agentNo: number,
    {
      keyHash,
      certificate,
      certificateEndUs,
      tokenUsedUs,
    }: {
      readonly keyHash: Uint8Array;
      readonly certificate: string;
      readonly certificateEndUs: number;
      readonly tokenUsedUs: number | undefined;
    },
  ): Promise<void> {
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
} as const;

/** Times are microseconds since 1970. */
async function find(trx: Kysely<Tables>, column: 'token_hash' | 'key_hash', hash: Uint8Array) {
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
