import { cleanLine, isVersion } from '@vantage/domain';
import { sentFault } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { lockAccount } from '../../resources/account-lock.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import { changedFields } from '../../resources/field-changes.ts';
import type { Conflict, Refusal } from '../../resources/refusal.ts';
import type { AgentFacts } from './agent-store.ts';

/** A parcel that the release key signed. */
export interface SignedParcel {
  readonly version: string;
  readonly arch: string;
}

/** Dependencies of upgrades. */
export interface UpgradeDeps {
  /** The signed parcels of this controller; undefined: it has no release key. */
  readonly signedParcels: () => Promise<readonly SignedParcel[] | undefined>;
  /** Begins a rollout in the transaction that asked for it. */
  readonly startRollout: (
    trx: Kysely<Tables>,
    rollout: {
      readonly accountNo: number;
      readonly version: string;
      readonly agentNos: readonly number[];
      readonly nowUs: number;
    },
  ) => Promise<void>;
  /** The present stage of a rollout, from 1, and the number of agents that may have begun in it. */
  readonly rolloutStage: (
    agents: readonly { readonly state: UpgradeState; readonly isConnected: boolean }[],
  ) => { readonly stage: number; readonly mayBegin: number };
}

/** The state of an agent's upgrade. */
export type UpgradeState = NonNullable<AgentFacts['upgrade']>['state'];

/** The agents of an account that should run a version. */
export interface AskedUpgrade {
  readonly accountNo: number;
  readonly version: string;
  readonly of: UpgradeScope;
  readonly nowUs: number;
  /** Only says which agents would be upgraded. */
  readonly isPreview?: boolean;
}

/** An agent that is not upgraded, and why: a sentence's end. */
interface SkippedAgent {
  readonly agent_id: string;
  readonly name: string;
  readonly reason: string;
}

/** Why agents cannot be upgraded to a version by this controller; undefined: they can. Pure. */
function parcelConflict(version: string, parcels: readonly SignedParcel[] | undefined): Conflict | undefined {
  if (parcels === undefined)
    return {
      kind: 'conflict',
      reason: 'agent_not_ready',
      message:
        'This controller has no release key, so no agent would accept a version from it. Start it with VANTAGE_RELEASE_PUBLIC_KEY (docs/install-agent.md).',
    };
  if (parcels.some((parcel) => parcel.version === version)) return undefined;
  const there = [...new Set(parcels.map((parcel) => parcel.version))].join(', ');
  const has = there === '' ? 'has no signed parcel' : `has signed parcels of version ${there}`;
  return {
    kind: 'conflict',
    reason: 'agent_not_ready',
    message: `The controller ${has}, and none of version ${version}. Put the parcel and its signature there: "npm run parcel", "./vantage parcel sign".`,
  };
}

/** Why one agent cannot run a version; undefined: it can. Pure. */
function upgradeFault(
  agent: UpgradeCandidate,
  version: string,
  parcels: readonly SignedParcel[],
): string | undefined {
  const { state, architecture, upgrade_fault: fault, version: running, upgrade_version: inWork } = agent;
  if (state === 'Revoked') return 'it is revoked';
  if (running === version) return `it runs version ${version} already`;
  if (inWork !== null) return `its upgrade to version ${inWork} is in work`;
  if (fault !== null) return `it cannot upgrade itself: ${fault}`;
  if (architecture === null)
    return running === null
      ? 'it has never been connected'
      : `its version ${running} cannot upgrade itself yet. On its host run "vantage-agent uninstall --yes" (end "./vantage agent" where it was started so) and the line of a new invitation; then revoke this agent`;
  return parcels.some((parcel) => parcel.version === version && parcel.arch === architecture)
    ? undefined
    : `the controller has no signed parcel of version ${version} for ${architecture}`;
}

/** Starts a rollout to the agents that can run the version, and names the others. */
export async function upgradeAgents(
  transaction: ChangeTransaction,
  { accountNo, version, of, nowUs, isPreview = false }: AskedUpgrade,
  {
    parcels,
    startRollout,
  }: Pick<UpgradeDeps, 'startRollout'> & {
    /** The signed parcels of the controller; undefined: it has no release key. */
    readonly parcels: readonly SignedParcel[] | undefined;
  },
): Promise<
  { readonly kind: 'started'; readonly agents: number; readonly skipped: readonly SkippedAgent[] } | Refusal
> {
  const { trx } = transaction;
  if (!isVersion(version))
    return { kind: 'invalid', faults: [sentFault('Version', 'a version such as 0.3.0', version)] };
  const conflict = parcelConflict(version, parcels);
  if (conflict !== undefined) return conflict;
  await lockAccount(trx, accountNo);
  const all = await upgradeCandidates(trx, accountNo, of);
  if (all.length === 0) return { kind: 'missing', what: 'agent' };
  const judged = all.map((agent) => ({ agent, fault: upgradeFault(agent, version, parcels ?? []) }));
  const skipped = [
    ...judged.flatMap(({ agent, fault }) =>
      fault === undefined
        ? []
        : [{ agent_id: agent.agent_id, name: cleanLine(agent.name), reason: cleanLine(fault) }],
    ),
    ...missingOf(of, all),
  ];
  const chosen = judged.flatMap(({ agent, fault }) => (fault === undefined ? [agent] : []));
  if (isPreview) return { kind: 'started', agents: chosen.length, skipped };
  if (chosen.length === 0)
    return { kind: 'conflict', reason: 'agent_not_ready', message: noneText(version, skipped) };
  const agentNos = chosen.map((agent) => agent.agent_no);
  await startRollout(trx, { accountNo, version, agentNos, nowUs });
  for (const agent of chosen) {
    const fields = changedFields(['Upgrade'], {}, { Upgrade: version });
    transaction.record({ action: 'update', kind: 'agent', accountNo, id: agent.agent_id, fields });
  }
  return { kind: 'started', agents: chosen.length, skipped };
}

/** The agents of the request that do not exist, or were removed meanwhile. */
function missingOf(of: UpgradeScope, found: readonly UpgradeCandidate[]): readonly SkippedAgent[] {
  if (of.kind !== 'agents') return [];
  const known = new Set(found.map(({ agent_id }) => agent_id));
  return [...new Set(of.agentIds)]
    .filter((id) => !known.has(id))
    .map((agent_id) => ({ agent_id, name: '', reason: 'there is no such agent' }));
}

function noneText(version: string, skipped: readonly SkippedAgent[]): string {
  const [first] = skipped;
  if (skipped.length === 1 && first !== undefined)
    return `Agent ${first.name} (${first.agent_id}) is not upgraded to version ${version}, because ${first.reason}.`;
  const reasons = [...new Set(skipped.map(({ reason }) => reason))].slice(0, 5).join('; ');
  return `None of the ${skipped.length} agents can be upgraded to version ${version}: ${reasons}.`;
}

/** All agents of the account, of a Location by its name or id, some agents, or one. */
type UpgradeScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'agents'; readonly agentIds: readonly string[] }
  | { readonly kind: 'location'; readonly location: string }
  | { readonly kind: 'agent'; readonly agentId: string };

/** An agent that may be upgraded. */
interface UpgradeCandidate {
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
async function upgradeCandidates(
  trx: Kysely<Tables>,
  accountNo: number,
  of: UpgradeScope,
): Promise<readonly UpgradeCandidate[]> {
  const named =
    of.kind === 'agent'
      ? sql`and a.agent_id = ${of.agentId}`
      : of.kind === 'agents'
        ? sql`and a.agent_id = any(${of.agentIds}::text[])`
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
