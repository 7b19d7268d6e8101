import { cleanLine, invitationMinutes } from '@vantage/domain';
import { boundedText, type Clock, isId } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import {
  idField,
  lineField,
  shownTimes,
  showTimes,
  timeNames,
  timestampField,
} from '../../rest/http/field.ts';
import { nextPage, wholeOrPageQuery } from '../../rest/http/paging.ts';
import { missing } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Zone } from '../../rest/http/zone.ts';
import type { Catalog } from '../change.ts';
import { actorOf } from '../change.ts';
import type { Refusal } from '../refusal.ts';
import { accepted } from '../refusal.ts';
import { type AgentFacts, listAgents } from './store.ts';
import { changeAgent, type RecordAgentEvents, removeAgent, revokeAgent } from './write.ts';

const tag = 'Agents';

/** An agent as the API shows it. */
export const agentFull = z
  .strictObject({
    agent_id: idField,
    Location: z.string(),
    Name: z.string(),
    HostName: z.string().nullable(),
    Version: z.string().nullable(),
    State: z
      .enum(['New', 'Connected', 'Away', 'Fenced', 'Revoked', 'Expired'])
      .describe(
        `New: invited, not connected yet. Expired: its invitation was not used within ${invitationMinutes} minutes, or its agent did not connect before its certificate ended; both are refused. Invite again, and DELETE removes this one.`,
      ),
    LastSeen: timestampField.nullable(),
    ClockOffset: z.number().describe('Controller minus agent, milliseconds.'),
    Backlog: z.int().describe('Records that wait on its disk.'),
    Lateness: z
      .strictObject({ p50: z.number(), p99: z.number() })
      .describe('Start after due time, milliseconds.'),
    Capacity: z.int().describe('Checks a minute it can run.'),
    Load: z.number().describe('Checks a minute of the devices it holds.'),
    OfflineReason: z.string().nullable().describe('Why it cannot see; null when it can.'),
    CertificateEnd: timestampField
      .nullable()
      .describe('When its certificate ends. The agent renews it before. null: it has not enrolled.'),
    Upgrade: z
      .strictObject({
        Version: z.string().describe('The version that was asked for.').meta({ example: '0.3.0' }),
        State: z
          .enum(['Waiting', 'Started', 'Downloading', 'Restarting', 'Done', 'Failed', 'Stopped'])
          .describe(
            'Waiting: its share of the rollout has not begun, or it is not connected. Done: it runs the version. Failed: it runs its version from before. Stopped: another agent of the rollout failed before.',
          ),
        Reason: z
          .string()
          .nullable()
          .describe('Why it failed or stopped.')
          .meta({ example: 'version 0.3.0 did not connect and report within 120 s' }),
        Since: timestampField.describe('When the state began.'),
      })
      .nullable()
      .describe('The latest upgrade that was asked for; null: none.')
      .meta({
        example: {
          Version: '0.3.0',
          State: 'Failed',
          Since: '2026-02-25T22:38:03+00:00',
          Reason: 'version 0.3.0 did not connect and report within 120 s',
        },
      }),
    location_id: idField,
    ...shownTimes,
  })
  .meta({ id: 'Agent' });

const idAnswer = z.strictObject({ agent_id: idField });
const readOnly = [
  'agent_id',
  'HostName',
  'Version',
  'State',
  'LastSeen',
  'ClockOffset',
  'Backlog',
  'Lateness',
  'Capacity',
  'Load',
  'OfflineReason',
  'CertificateEnd',
  'Upgrade',
  'location_id',
  ...timeNames,
] as const;
const names = { root: 'agent', id: 'agent_id' } as const;
const agentUpdate = z
  .strictObject({
    Name: lineField(200)
      .optional()
      .describe('Name, one line. History shows a new name too.')
      .meta({ example: 'agent-1' }),
    Location: boundedText(200, 1)
      .optional()
      .describe('Name or id of the Location at which it runs; another one moves the agent.')
      .meta({ example: 'Oslo' }),
  })
  .meta({ id: 'AgentUpdate', description: 'Changed settings of an agent; what is absent stays.' });

/** The parts that the routes of agents need. */
export interface AgentRouteDeps {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly recordEvents: RecordAgentEvents;
}

/** Listing, reading, changing, revoking and removing agents. */
export function agentRoutes(deps: AgentRouteDeps): Route[] {
  return [listRoute(deps), ...oneAgentRoutes(deps), deleteRoute(deps)];
}

function listRoute({ db, clock }: AgentRouteDeps): Route {
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
    handler: async ({ session, query: { Limit, Offset } }) => {
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
export function oneAgent({ db, clock }: Pick<AgentRouteDeps, 'db' | 'clock'>) {
  const find = async (
    { accountNo }: Session,
    { agent_id: agentId = '' }: Readonly<Record<string, string>>,
  ) => {
    if (!isId(agentId)) return undefined;
    const { rows } = await listAgents(db, accountNo, { limit: 1, offset: 0, agentId, nowUs: clock.nowUs() });
    return rows[0];
  };
  return { path: '/agents/{agent_id}', tag, subject: { what: 'agent' as const, find }, names } as const;
}

function oneAgentRoutes({ db, catalog, clock }: AgentRouteDeps): Route[] {
  const shared = oneAgent({ db, clock });
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
      handler: async ({ session, subject: { agent_id: agentId }, body: sent }) => {
        const named = { agentId, accountNo: session.accountNo };
        accepted(
          await catalog.change(actorOf(session), (transaction) =>
            changeAgent(transaction, named, { sent, nowUs: clock.nowUs() }),
          ),
        );
        const changed = await shared.subject.find(session, { agent_id: agentId });
        if (changed === undefined) throw missing('agent');
        return { body: show(changed, session.zone) };
      },
    }),
  ];
}

function deleteRoute({ db, catalog, clock, recordEvents }: AgentRouteDeps): Route {
  return route({
    ...oneAgent({ db, clock }),
    method: 'DELETE',
    level: 'UW',
    summary: 'Revokes an agent; removes it when it is revoked already or Expired.',
    description:
      'The stream of a revoked agent is cut within 5 s, its token is refused from then on, and other agents of its Location check its devices. A second DELETE removes the agent from the lists. Checks and events go on to show its name.',
    response: idAnswer,
    handler: async ({ session, subject: { agent_id: agentId, state } }) => {
      const named = { agentId, accountNo: session.accountNo };
      // The request means what its sender saw: of two that found the agent in force, the second one removes nothing.
      accepted(
        await catalog.change(
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

/** An agent as the API shows it. */
export function show(row: AgentFacts, zone: Zone): z.input<typeof agentFull> {
  return {
    agent_id: row.agent_id,
    Location: cleanLine(row.location),
    Name: cleanLine(row.name),
    HostName: row.host_name,
    Version: row.version,
    State: row.state,
    LastSeen: row.last_seen_us === null ? null : zone.format(row.last_seen_us),
    ClockOffset: row.clock_offset_us / 1000,
    Backlog: row.backlog_records,
    Lateness: { p50: rounded(row.lateness_p50_ms), p99: rounded(row.lateness_p99_ms) },
    Capacity: row.capacity,
    Load: rounded(row.load),
    OfflineReason: row.offline_reason,
    CertificateEnd: row.certificate_end_us === null ? null : zone.format(row.certificate_end_us),
    Upgrade: row.upgrade && {
      Version: row.upgrade.version,
      State: row.upgrade.state,
      Reason: row.upgrade.reason === null ? null : cleanLine(row.upgrade.reason),
      Since: zone.format(row.upgrade.changed_us),
    },
    location_id: row.location_id,
    ...showTimes(row, zone),
  };
}

/** Three decimals: the column's single precision has no more to say. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
