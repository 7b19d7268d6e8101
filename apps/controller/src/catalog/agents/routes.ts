import { cleanLine } from '@vantage/domain';
import { isId } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../db/index.ts';
import { idField, timestampField } from '../../http/field.ts';
import { nextPage, wholeOrPageQuery } from '../../http/paging.ts';
import { noSubject, type Route, route } from '../../http/route.ts';
import type { Zone } from '../../http/zone.ts';
import { type AgentFacts, listAgents } from './store.ts';

const tag = 'Agents';

const agentFull = z
  .strictObject({
    agent_id: idField,
    Location: z.string(),
    Name: z.string(),
    HostName: z.string().nullable(),
    Version: z.string().nullable(),
    State: z.enum(['New', 'Connected', 'Away', 'Fenced', 'Revoked']),
    LastSeen: timestampField.nullable(),
    ClockOffset: z.number().describe('Controller minus agent, milliseconds.'),
    Backlog: z.int().describe('Records that wait on its disk.'),
    Lateness: z
      .strictObject({ p50: z.number(), p99: z.number() })
      .describe('Start after due time, milliseconds.'),
    Capacity: z.int().describe('Checks a minute it can run.'),
    Load: z.number().describe('Checks a minute of the devices it holds.'),
    OfflineReason: z.string().nullable().describe('Why it cannot see; null when it can.'),
  })
  .meta({ id: 'Agent' });

/** Listing and reading agents. */
export function agentRoutes(db: Db): Route[] {
  return [
    route({
      method: 'GET',
      path: '/agents',
      level: 'UR',
      tag,
      summary: 'Lists agents in the order of their creation.',
      subject: noSubject,
      query: z.object(wholeOrPageQuery),
      response: z.array(agentFull),
      names: { root: 'agents', row: 'agent', id: 'agent_id' },
      handler: async ({ session, query: { Limit, Offset } }) => {
        const page = { limit: Limit, offset: Offset };
        const { rows, total } = await listAgents(db, session.accountNo, page);
        return {
          body: rows.map((row) => show(row, session.zone)),
          total,
          next: nextPage(total, { Limit, Offset }),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/agents/{agent_id}',
      level: 'UR',
      tag,
      summary: 'An agent: its state, clock, lateness and load.',
      subject: {
        what: 'agent',
        find: async ({ accountNo }, { agent_id: agentId = '' }) => {
          if (!isId(agentId)) return undefined;
          const { rows } = await listAgents(db, accountNo, { limit: 1, offset: 0, agentId });
          return rows[0];
        },
      },
      response: agentFull,
      names: { root: 'agent', id: 'agent_id' },
      handler: async ({ session, subject }) => ({ body: show(subject, session.zone) }),
    }),
  ];
}

function show(row: AgentFacts, zone: Zone): z.input<typeof agentFull> {
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
  };
}

/** Three decimals: the column's single precision has no more to say. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
