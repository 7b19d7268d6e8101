import { type RawBuilder, sql } from 'kysely';

/**
 * The state of agent `a` at a time (microseconds since 1970), as users see it. `Expired`: no agent used the invitation
 * in time, so its token is rejected, or the agent that used it did not connect before its certificate expired. The
 * column `state` keeps `New` in both cases.
 */
export function agentStateAt<State extends string>(nowUs: number): RawBuilder<State | 'Expired'> {
  return sql`case when a.state = 'New'
    and case when a.key_hash is null then a.token_expires_us else a.certificate_end_us end < ${nowUs}::bigint then 'Expired' else a.state end`;
}
