import { newId } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { RolloutAgent, UpgradeState } from './decide-rollout.ts';

/** An upgrade that a gateway sends to its agent. */
export interface OpenUpgrade {
  readonly upgradeId: string;
  readonly version: string;
}

/** The agent of an upgrade, for its event. */
export interface UpgradedAgent {
  readonly accountNo: number;
  readonly locationNo: number;
  readonly locationName: string;
  readonly agentName: string;
  readonly version: string;
}

/** Begins a rollout: its agents wait. Earlier upgrades of them end. */
export async function insertRollout(
  trx: Kysely<Tables>,
  {
    accountNo,
    version,
    agentNos,
    nowUs,
  }: {
    readonly accountNo: number;
    readonly version: string;
    readonly agentNos: readonly number[];
    readonly nowUs: number;
  },
): Promise<void> {
  const { rollout_no } = await trx
    .insertInto('rollouts')
    .values({ account_no: accountNo, version, started_us: nowUs })
    .returning('rollout_no')
    .executeTakeFirstOrThrow();
  const upgradeIds = agentNos.map(() => newId());
  await sql`
    insert into agent_upgrades (agent_no, upgrade_id, rollout_no, version, changed_us)
    select g.agent_no, g.upgrade_id, ${rollout_no}::int, ${version}::text, ${nowUs}::bigint
    from unnest(${agentNos}::int[], ${upgradeIds}::text[]) as g (agent_no, upgrade_id)
    on conflict (agent_no) do update set upgrade_id = excluded.upgrade_id, rollout_no = excluded.rollout_no,
      version = excluded.version, state = 'Waiting', reason = null, changed_us = excluded.changed_us`.execute(
    trx,
  );
}

/** Rollouts of an account that are looked after in one round. */
const perAccount = 20;

/**
 * Rollouts that are not over and have something to do, or to watch. Those whose agents are all away wait for them. An
 * account with many rollouts does not hold up others.
 */
export async function dueRollouts(kysely: Kysely<Tables>): Promise<readonly number[]> {
  const { rows } = await sql<{ rollout_no: number }>`
    select rollout_no from (
      select r.rollout_no, row_number() over (partition by r.account_no order by r.rollout_no) as place
      from rollouts r where r.state = 'Running' and not exists (
        select from agent_upgrades u join agents a using (agent_no) where u.rollout_no = r.rollout_no
        having count(*) filter (where u.state = 'Waiting') > 0
          and count(*) filter (where u.state in ('Started', 'Downloading', 'Restarting', 'Failed')
            or u.state = 'Waiting' and a.state in ('Connected', 'Revoked')) = 0)) due
    where place <= ${perAccount} order by rollout_no`.execute(kysely);
  return rows.map(({ rollout_no }) => rollout_no);
}

/** Locks a running rollout until the transaction ends; false when it has ended, or another controller locked it. */
export async function lockRollout(trx: Kysely<Tables>, rolloutNo: number): Promise<boolean> {
  const row = await trx
    .selectFrom('rollouts')
    .select('rollout_no')
    .where('rollout_no', '=', rolloutNo)
    .where('state', '=', 'Running')
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row !== undefined;
}

/** The agents of a rollout, oldest first. Revoked agents are stopped. */
export async function agentsOfRollout(
  trx: Kysely<Tables>,
  rolloutNo: number,
  nowUs: number,
): Promise<readonly RolloutAgent[]> {
  await sql`
    update agent_upgrades u set state = 'Stopped', reason = 'the agent is revoked', changed_us = ${nowUs}::bigint
    from agents a where a.agent_no = u.agent_no and u.rollout_no = ${rolloutNo} and a.state = 'Revoked'
      and u.state in ('Waiting', 'Started', 'Downloading', 'Restarting')`.execute(trx);
  const { rows } = await sql<RolloutAgent>`
    select u.agent_no as "agentNo", a.name, u.state, u.reason, a.state = 'Connected' as "isConnected", u.changed_us as "changedUs"
    from agent_upgrades u join agents a using (agent_no) where u.rollout_no = ${rolloutNo} order by u.agent_no`.execute(
    trx,
  );
  return rows;
}

/** These agents of a rollout upgrade now. */
export async function setStarted(
  trx: Kysely<Tables>,
  agentNos: readonly number[],
  nowUs: number,
): Promise<void> {
  await trx
    .updateTable('agent_upgrades')
    .set({ state: 'Started', changed_us: nowUs })
    .where(sql<boolean>`agent_no = any(${agentNos}::int[])`)
    .where('state', '=', 'Waiting')
    .execute();
}

/** Ends a rollout. With a reason it has stopped, and the waiting agents stop too. */
export async function endRollout(
  trx: Kysely<Tables>,
  {
    rolloutNo,
    reason,
    nowUs,
  }: { readonly rolloutNo: number; readonly reason: string | null; readonly nowUs: number },
): Promise<void> {
  await trx
    .updateTable('rollouts')
    .set({ state: reason === null ? 'Done' : 'Stopped', reason, ended_us: nowUs })
    .where('rollout_no', '=', rolloutNo)
    .execute();
  if (reason === null) return;
  await trx
    .updateTable('agent_upgrades')
    .set({ state: 'Stopped', reason: `the rollout stopped, because ${reason}`, changed_us: nowUs })
    .where('rollout_no', '=', rolloutNo)
    .where('state', '=', 'Waiting')
    .execute();
}

/** Upgrades that their agents have not answered yet. */
export async function unanswered(trx: Kysely<Tables>, rolloutNo: number): Promise<readonly number[]> {
  const rows = await trx
    .selectFrom('agent_upgrades')
    .select('agent_no')
    .where('rollout_no', '=', rolloutNo)
    .where('state', '=', 'Started')
    .execute();
  return rows.map(({ agent_no }) => agent_no);
}

/** The version to which an agent is to upgrade; undefined: none. */
export async function openUpgrade(kysely: Kysely<Tables>, agentNo: number): Promise<OpenUpgrade | undefined> {
  return kysely
    .selectFrom('agent_upgrades')
    .select(['upgrade_id as upgradeId', 'version'])
    .where('agent_no', '=', agentNo)
    .where('state', 'in', ['Started', 'Downloading', 'Restarting'])
    .executeTakeFirst();
}

/** Stores a state of an open upgrade; undefined when it has ended, or was replaced. */
export async function moveUpgrade(
  trx: Kysely<Tables>,
  {
    agentNo,
    upgradeId,
    state,
    reason,
    nowUs,
  }: {
    readonly agentNo: number;
    /** Undefined: the present one. */
    readonly upgradeId: string | undefined;
    readonly state: UpgradeState;
    readonly reason: string | null;
    readonly nowUs: number;
  },
): Promise<UpgradedAgent | undefined> {
  const { rows } = await sql<UpgradedAgent>`
    update agent_upgrades u set state = ${state}, reason = ${reason}, changed_us = ${nowUs}::bigint
    from agents a join locations l using (location_no)
    where a.agent_no = u.agent_no and u.agent_no = ${agentNo}
      and (${upgradeId ?? null}::text is null or u.upgrade_id = ${upgradeId ?? null}::text)
      and u.state in ('Started', 'Downloading', 'Restarting') and u.state <> ${state}
    returning a.account_no as "accountNo", a.location_no as "locationNo", l.name as "locationName", a.name as "agentName",
      u.version`.execute(trx);
  return rows[0];
}
