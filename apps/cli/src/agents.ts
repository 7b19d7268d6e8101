import { Fault, newId } from '@vantage/kernel';
import { accountNo } from './accounts.ts';
import { hashOf, newCredential } from './credentials.ts';
import type { Sql } from './database.ts';
import { locationNo } from './locations.ts';

/** An agent as lists show it. */
export interface AgentRow {
  readonly agent_id: string;
  readonly account: string;
  readonly location: string;
  readonly name: string;
  readonly state: string;
  readonly version: string | null;
  readonly created_at: Date;
}

/** Makes an agent at a Location; its token is shown once. */
export async function inviteAgent(
  sql: Sql,
  given: {
    readonly account: string;
    readonly location: string;
    readonly name: string;
    /** A token made before, to be known again by a new database. */
    readonly token?: string;
  },
): Promise<{ readonly agent_id: string; readonly token: string }> {
  const token = given.token ?? newCredential();
  const agentId = newId();
  await sql.query(
    `insert into agents (agent_id, account_no, location_no, name, token_hash) values ($1, $2, $3, $4, $5)`,
    [
      agentId,
      await accountNo(sql, given.account),
      await locationNo(sql, given.account, given.location),
      given.name,
      hashOf(token),
    ],
  );
  return { agent_id: agentId, token };
}

/** Agents of one account, or of all. */
export async function listAgents(sql: Sql, account: string | undefined): Promise<AgentRow[]> {
  return sql.query<AgentRow>(
    `select agent_id, accounts.name as account, locations.name as location, agents.name, state, version, agents.created_at
     from agents join accounts using (account_no) join locations using (location_no)
     where $1::int is null or agents.account_no = $1 order by accounts.name, locations.name, agent_no`,
    [account === undefined ? null : await accountNo(sql, account)],
  );
}

/** Revokes an agent by its id; gateways cut its stream within 5 s and its devices go to others of the Location. */
export async function revokeAgent(sql: Sql, agentId: string): Promise<{ readonly agent_id: string }> {
  const [row] = await sql.query<{ agent_no: number; location_no: number }>(
    `update agents set state = 'Revoked', revoked_at = now() where agent_id = $1 and revoked_at is null
     returning agent_no, location_no`,
    [agentId],
  );
  if (!row) throw new Fault('drop', 'no_agent', `there is no agent ${agentId} that is not revoked yet`);
  await sql.query("select pg_notify('vantage_revoked', $1)", [
    JSON.stringify({ agent_nos: [row.agent_no], key_nos: [] }),
  ]);
  await sql.query("select pg_notify('vantage_catalog', $1)", [
    JSON.stringify({ location_nos: [row.location_no] }),
  ]);
  return { agent_id: agentId };
}

/** Lets a fenced agent connect again, whatever its next session's number is; gateways count anew from that one. */
export async function unfenceAgent(sql: Sql, agentId: string): Promise<{ readonly agent_id: string }> {
  const [row] = await sql.query<{ location_no: number }>(
    `update agents set state = 'Away', session_counter = 0 where agent_id = $1 and state = 'Fenced'
     returning location_no`,
    [agentId],
  );
  if (!row) throw new Fault('drop', 'no_agent', `there is no fenced agent ${agentId}`);
  await sql.query("select pg_notify('vantage_catalog', $1)", [
    JSON.stringify({ location_nos: [row.location_no] }),
  ]);
  return { agent_id: agentId };
}
