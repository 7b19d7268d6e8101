import { type RawBuilder, sql } from 'kysely';

/**
 * The state of agent `a` at a time (microseconds since 1970), as people read it: `Expired` is an invitation that no
 * agent used within its time, so its token is refused. The column `state` goes on to say New.
 */
export function agentStateAt<State extends string>(nowUs: number): RawBuilder<State | 'Expired'> {
  return sql`case when a.state = 'New' and a.key_hash is null and a.token_expires_us < ${nowUs}::bigint then 'Expired' else a.state end`;
}
