import { type RawBuilder, sql } from 'kysely';

/**
 * The state of agent `a` at a time (microseconds since 1970), as people read it: `Expired` is an invitation that no
 * agent used within its time, so its token is refused, or one that was used by an agent that never connected before its
 * certificate ended. The column `state` goes on to say New.
 */
export function agentStateAt<State extends string>(nowUs: number): RawBuilder<State | 'Expired'> {
  return sql`case when a.state = 'New'
    and case when a.key_hash is null then a.token_expires_us else a.certificate_end_us end < ${nowUs}::bigint then 'Expired' else a.state end`;
}
