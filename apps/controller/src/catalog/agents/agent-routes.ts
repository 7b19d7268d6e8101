import { type Clock, isId } from '@vantage/kernel';
import { idField } from '@vantage/rest-kit/field';
import { nextPage, wholeOrPageQuery } from '@vantage/rest-kit/paging';
import { missing } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { actorOf } from '../../resources/change.ts';
import type { Refusal } from '../../resources/refusal.ts';
import { accepted } from '../../resources/refusal.ts';
import { agentFull, agentUpdate, readOnly, show } from './agent-fields.ts';
import { listAgents } from './agent-store.ts';
import { changeAgent, type RecordRevocations } from './agent-write.ts';
import { removeAgent, revokeAgent } from './remove-agent.ts';

const tag = 'Agents';

const idAnswer = z.strictObject({ agent_id: idField });

const names = { root: 'agent', id: 'agent_id' } as const;

/** The parts that the routes of agents need. */
export interface AgentRouteDeps {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly recordEvents: RecordRevocations;
}

/** Listing, reading, changing, revoking and removing agents. */
export function agentRoutes(deps: AgentRouteDeps): Route[] {
  return [listRoute(deps), ...oneAgentRoutes(deps), deleteRoute(deps)];
}

function listRoute({ clock }: AgentRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/agents',
    level: 'UR',
    tag,
    summary: 'Lists agents in the order of their creation.',
    description: 'Revoked agents are listed until they are removed.',
    subject: noSubject,
    query: z.object(wholeOrPageQuery),
    response: z.array(agentFull),
    names: { root: 'agents', row: 'agent', id: 'agent_id' },
    handler: async ({ db, session, query: { Limit, Offset } }) => {
      const page = { limit: Limit, offset: Offset, nowUs: clock.nowUs() };
      const { rows, total } = await listAgents(db, session.accountNo, page);
      return {
        body: rows.map((row) => show(row, session.zone)),
        total,
        next: nextPage(total, { Limit, Offset }),
      };
    },
  });
}

/** The common part of the routes of one agent. */
export function oneAgent({ clock }: Pick<AgentRouteDeps, 'clock'>) {
  const find = async (
    { accountNo }: Session,
    { agent_id: agentId = '' }: Readonly<Record<string, string>>,
    db: Reader,
  ) => {
    if (!isId(agentId)) return undefined;
    const { rows } = await listAgents(db, accountNo, { limit: 1, offset: 0, agentId, nowUs: clock.nowUs() });
    return rows[0];
  };
  return { path: '/agents/{agent_id}', tag, subject: { what: 'agent' as const, find }, names } as const;
}

function oneAgentRoutes({ catalog, clock }: AgentRouteDeps): Route[] {
  const shared = oneAgent({ clock });
  return [
    route({
      ...shared,
      method: 'GET',
      level: 'UR',
      summary: 'An agent: its state, clock, lateness and load.',
      response: agentFull,
      handler: async ({ session, subject }) => ({ body: show(subject, session.zone) }),
    }),
    route({
      ...shared,
      method: 'PUT',
      level: 'UW',
      summary: 'Changes an agent: what is absent stays.',
      description:
        'Checks and events show a new name too, those of the past included. A move ends the session of the agent; it connects again within seconds and checks devices of the new Location. A check counts for the Location that the agent had when the check started, even if its result arrives after the move.',
      body: agentUpdate,
      readOnly,
      response: agentFull,
      handler: async ({ db, session, subject: { agent_id: agentId }, body: sent }) => {
        const named = { agentId, accountNo: session.accountNo };
        accepted(
          await catalog.change(db, actorOf(session), (transaction) =>
            changeAgent(transaction, named, { sent, nowUs: clock.nowUs() }),
          ),
        );
        const changed = await shared.subject.find(session, { agent_id: agentId }, db);
        if (changed === undefined) throw missing('agent');
        return { body: show(changed, session.zone) };
      },
    }),
  ];
}

function deleteRoute({ catalog, clock, recordEvents }: AgentRouteDeps): Route {
  return route({
    ...oneAgent({ clock }),
    method: 'DELETE',
    level: 'UW',
    summary: 'Revokes an agent; removes it when it is revoked already or Expired.',
    description:
      'The stream of a revoked agent is cut within 5 s, its token is refused from then on, and other agents of its Location check its devices. A second DELETE removes the agent from the lists. Checks and events keep showing its name.',
    response: idAnswer,
    handler: async ({ db, session, subject: { agent_id: agentId, state } }) => {
      const named = { agentId, accountNo: session.accountNo };
      // The request means what its sender saw: of two that found the agent in force, the second one removes nothing.
      accepted(
        await catalog.change(
          db,
          actorOf(session),
          async (transaction): Promise<{ readonly kind: 'revoked' | 'removed' } | Refusal> =>
            state === 'Revoked' || state === 'Expired'
              ? removeAgent(transaction, named, clock.nowUs())
              : revokeAgent(transaction, named, { recordEvents, nowUs: clock.nowUs() }),
        ),
      );
      return { body: { agent_id: agentId } };
    },
  });
}
