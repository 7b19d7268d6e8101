import { readReleaseKey } from '@vantage/domain';
import type { OperatorAnswers, OperatorRequests } from '@vantage/domain/operator-commands';
import type { Db } from '@vantage/storage';
import { theAgentCalled } from '../../admin/agent-called.ts';
import { drop } from '../../admin/command-fault.ts';
import type { CommandGroup } from '../../admin/run-command.ts';
import { readAuthorities } from '../../agents/enrol/authorities.ts';
import { makeMissingParcel } from '../../agents/enrol/own-parcel.ts';
import { readSignedParcels } from '../../agents/enrol/parcel-folder.ts';
import { readOfferedParcels } from '../../agents/gateway/offered-parcels.ts';
import { insertRollout } from '../../agents/upgrades/upgrade-store.ts';
import { findAgentsCalled, listAccountAgents } from '../../catalog/agents/agent-store.ts';
import { changeAgent, type SentAgent } from '../../catalog/agents/agent-write.ts';
import { inviteAgentTo } from '../../catalog/agents/invite-agent.ts';
import { removeAgent, revokeAgent, unfenceAgent } from '../../catalog/agents/remove-agent.ts';
import { upgradeAgents } from '../../catalog/agents/upgrade.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import { refusalText } from '../../resources/refusal.ts';
import { recordEvents } from '../../results/events/record-events.ts';
import { accountNoOf, filterOf } from './account-no.ts';
import type { Operator } from './operator.ts';

/** The commands on agents. */
export function agentCommands(operator: Operator): CommandGroup<'agents'> {
  const { clock } = operator;
  const ofAgent = forOneAgent(operator);
  return {
    'agents.invite': (db, request) => invite(operator, db, request),
    'agents.list': async ({ kysely }, { account }) =>
      listAccountAgents(kysely, await filterOf(kysely, account), clock.nowUs()),
    'agents.revoke': ofAgent(async (transaction, { agent_id: agentId }) => {
      const { kind } = await revokeAgent(transaction, { agentId }, { recordEvents, nowUs: clock.nowUs() });
      if (kind === 'missing') throw drop('no_agent', `there is no agent ${agentId} that is not revoked yet`);
      return { agent_id: agentId };
    }),
    'agents.remove': ofAgent(async (transaction, { agent_id: agentId }) => {
      const removed = await removeAgent(transaction, { agentId }, clock.nowUs());
      if (removed.kind === 'conflict') throw drop('agent_in_force', removed.message);
      return { agent_id: agentId };
    }),
    'agents.rename': ofAgent(async (transaction, request) => {
      await alterAgent(transaction, request.agent_id, { sent: { Name: request.name }, nowUs: clock.nowUs() });
      return request;
    }),
    'agents.move': ofAgent(async (transaction, request) => {
      const change = { sent: { Location: request.location }, nowUs: clock.nowUs() };
      return { ...request, left_without_agent: await alterAgent(transaction, request.agent_id, change) };
    }),
    'agents.upgrade': (db, request) => upgrade(operator, db, request),
    'agents.unfence': ofAgent(async (transaction, { agent_id: agentId }) => {
      const { kind } = await unfenceAgent(transaction, { agentId });
      if (kind === 'missing') throw drop('no_agent', `there is no fenced agent ${agentId}`);
      return { agent_id: agentId };
    }),
  };
}

/** The id of the agent that the operator's text names. */
const agentIdOf = async ({ trx }: ChangeTransaction, called: string) =>
  theAgentCalled(called, await findAgentsCalled(trx, called));

/** Creates commands on one agent in one transaction. `work` receives the complete id of the agent. */
function forOneAgent({ change }: Operator) {
  return <R extends { readonly agent_id: string }, A>(
    work: (transaction: ChangeTransaction, request: R) => Promise<A>,
  ): ((db: Db, request: R) => Promise<A>) =>
    (db, request) =>
      change(db, async (transaction) =>
        work(transaction, { ...request, agent_id: await agentIdOf(transaction, request.agent_id) }),
      );
}

/** Changes an agent; returns the Location that is left without an agent. Throws a Fault when the change is refused. */
async function alterAgent(
  transaction: ChangeTransaction,
  agentId: string,
  change: { readonly sent: SentAgent; readonly nowUs: number },
): Promise<string | null> {
  const changed = await changeAgent(transaction, { agentId }, change);
  if (changed.kind === 'conflict') throw drop('agent_revoked', changed.message);
  if (changed.kind !== 'changed') throw drop('no_location', refusalText(changed));
  return changed.leftWithoutAgent;
}

/** Invites an agent. First builds the package that its host downloads, if it is missing. */
async function invite(
  operator: Operator,
  db: Db,
  request: OperatorRequests['agents.invite'],
): Promise<OperatorAnswers['agents.invite']> {
  const { change, clock } = operator;
  await makeMissingParcel(request, clock);
  return change(db, async (transaction) => {
    const accountNo = await accountNoOf(transaction.trx, request.account);
    const invited = await inviteAgentTo(transaction, { ...request, accountNo, nowUs: clock.nowUs() });
    if (invited.kind === 'conflict') throw drop('agent_exists', invited.message);
    if (invited.kind === 'invalid') throw drop('no_location', refusalText(invited));
    const { agentId: agent_id, token, expiresUs } = invited;
    const { linesFor, warnings } = await planFor(operator, db, request);
    const { command, commandWget: command_wget } = linesFor(token);
    const invitation = { agent_id, token, expires: new Date(expiresUs / 1000), warnings: [...warnings] };
    return { ...invitation, command, command_wget };
  });
}

/**
 * Checks that agents can connect at the address of an invitation; throws a Fault when they cannot. Its modules are
 * loaded here, because no other command needs them.
 */
async function planFor({ clock }: Operator, { kysely }: Db, request: OperatorRequests['agents.invite']) {
  const { invitationTerms } = await import('../../admin/invitation-terms.ts');
  const { planInvitation } = await import('../../agents/enrol/plan-invitation.ts');
  const trusted = (await readAuthorities(kysely)).map(({ certificate }) => certificate);
  const plan = await planInvitation({ ...invitationTerms(request), trusted, clock });
  if (plan.kind === 'ready') return plan;
  if (!plan.isUnreachable) throw drop('endpoint_unnamed', plan.message);
  return { linesFor: () => ({ command: null, commandWget: null }), warnings: [plan.message] };
}

/**
 * Starts a rollout of a version whose signed parcel the running controllers have. While no controller runs, the
 * settings of the caller apply.
 */
async function upgrade(
  { change, clock }: Operator,
  db: Db,
  { account, version, of: requested, parcels: folder, release_key: line }: OperatorRequests['agents.upgrade'],
): Promise<OperatorAnswers['agents.upgrade']> {
  // The settings of this command need not be those of the controllers.
  const offered = await readOfferedParcels(db.kysely, clock.nowUs());
  const key = readReleaseKey(line ?? '');
  const parcels = offered.kind === 'known' ? offered.parcels : key && (await readSignedParcels(folder, key));
  return change(db, async (transaction) => {
    const accountNo = await accountNoOf(transaction.trx, account);
    const target =
      requested.kind === 'agent'
        ? { ...requested, agentId: await agentIdOf(transaction, requested.agentId) }
        : requested;
    const upgraded = { accountNo, version, of: target, nowUs: clock.nowUs() };
    const started = await upgradeAgents(transaction, upgraded, { parcels, startRollout: insertRollout });
    if (started.kind !== 'started') throw drop('not_upgraded', refusalText(started));
    return { version, agents: started.agents, skipped: [...started.skipped] };
  });
}
