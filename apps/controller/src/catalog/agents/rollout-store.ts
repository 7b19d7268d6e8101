import type { Reader } from '@vantage/storage';
import { sql } from 'kysely';
import type { UpgradeState } from './upgrade.ts';

/** A rollout with the agents whose latest upgrade it is. */
export interface RolloutRow {
  readonly rollout_no: number;
  readonly version: string;
  readonly state: 'Running' | 'Done' | 'Stopped';
  readonly reason: string | null;
  readonly started_us: number;
  readonly ended_us: number | null;
  /** Oldest first. */
  readonly agents: readonly RolloutAgentRow[];
}

interface RolloutAgentRow {
  readonly agent_id: string;
  readonly name: string;
  readonly host_name: string | null;
  readonly location: string;
  readonly is_connected: boolean;
  readonly state: UpgradeState;
  readonly reason: string | null;
  readonly changed_us: number;
}

/**
 * The newest rollouts of an account. An agent belongs to its latest rollout only, so together they have at most the
 * agents of the account. Rollouts without an agent are left out, and so are removed agents.
 */
export async function listRollouts(
  { kysely }: Reader,
  accountNo: number,
  limit: number,
): Promise<readonly RolloutRow[]> {
  const { rows } = await sql<RolloutRow>`
    select r.rollout_no, r.version, r.state, r.reason, r.started_us, r.ended_us,
      jsonb_agg(jsonb_build_object('agent_id', a.agent_id, 'name', a.name, 'host_name', a.host_name, 'location', l.name,
        'is_connected', a.state = 'Connected', 'state', u.state, 'reason', u.reason, 'changed_us', u.changed_us)
        order by a.agent_no) as agents
    from agents a join agent_upgrades u using (agent_no) join rollouts r using (rollout_no)
      join locations l using (location_no)
    where a.account_no = ${accountNo} and a.removed_at is null
    group by r.rollout_no order by r.rollout_no desc limit ${limit}`.execute(kysely);
  return rows;
}
