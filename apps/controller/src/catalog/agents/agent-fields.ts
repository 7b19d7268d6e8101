import { cleanLine, invitationMinutes } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import {
  idField,
  lineField,
  shownTimes,
  showTimes,
  timeNames,
  timestampField,
} from '@vantage/rest-kit/field';
import type { Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import type { AgentFacts } from './agent-store.ts';

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
        Version: z.string().describe('The requested version.').meta({ example: '0.3.0' }),
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
      .describe('The latest requested upgrade; null: none.')
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

export const readOnly = [
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

export const agentUpdate = z
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
