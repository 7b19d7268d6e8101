import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';

/** All agents of the account, of a Location by its name or id, or one agent. */
export type UpgradeScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'location'; readonly location: string }
  | { readonly kind: 'agent'; readonly agentId: string };

/** An agent that may be upgraded. */
export interface UpgradeCandidate {
  readonly agent_no: number;
  readonly agent_id: string;
  readonly name: string;
  readonly state: string;
  readonly version: string | null;
  readonly architecture: string | null;
  readonly upgrade_fault: string | null;
  /** The version of an upgrade that has begun; null: none. */
  readonly upgrade_version: string | null;
}

/** The agents that a request names, oldest first; removed ones are none. */
export async function upgradeCandidates(
  trx: Kysely<Tables>,
  accountNo: number,
  of: UpgradeScope,
): Promise<readonly UpgradeCandidate[]> {
  const named =
    of.kind === 'agent'
      ? sql`and a.agent_id = ${of.agentId}`
      : of.kind === 'location'
        ? sql`and (l.name = ${of.location} or l.location_id = ${of.location}) and a.state <> 'Revoked'`
        : sql`and a.state <> 'Revoked'`;
  const { rows } = await sql<UpgradeCandidate>`
    select a.agent_no, a.agent_id, a.name, a.state, a.version, a.architecture, a.upgrade_fault, u.version as upgrade_version
    from agents a join locations l using (location_no)
      left join agent_upgrades u on u.agent_no = a.agent_no and u.state in ('Started', 'Downloading', 'Restarting')
    where a.account_no = ${accountNo} and a.removed_at is null ${named} order by a.agent_no`.execute(trx);
  return rows;
}
