import { cleanLine } from '@vantage/domain';
import { idField, timestampField } from '@vantage/rest-kit/field';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import { listRollouts, type RolloutRow } from './rollout-store.ts';
import type { UpgradeDeps } from './upgrade.ts';

const at = '2026-02-25T23:38:03+01:00';
/** The newest rollouts that are listed. */
const maxRollouts = 20;

const rolloutAgent = z.strictObject({
  agent_id: idField,
  Name: z.string(),
  HostName: z.string().nullable(),
  Location: z.string(),
  Connected: z.boolean(),
  State: z.enum(['Waiting', 'Started', 'Downloading', 'Restarting', 'Done', 'Failed', 'Stopped']),
  Reason: z.string().nullable(),
  Since: timestampField.describe('When the state began.'),
});

const rolloutFull = z
  .strictObject({
    Version: z.string().meta({ example: '0.3.0' }),
    State: z
      .enum(['Running', 'Done', 'Stopped'])
      .describe('Stopped: an agent failed, and those that waited keep their version.'),
    Reason: z
      .string()
      .nullable()
      .describe('Why it stopped.')
      .meta({ example: 'agent oslo-1 failed: the disk is full' }),
    Started: timestampField.describe('When it began.').meta({ example: at }),
    Ended: timestampField.nullable().describe('When it ended; null: it is running.').meta({ example: at }),
    Stage: z
      .int()
      .nullable()
      .describe('1: one agent, 2: 10 %, 3: 50 %, 4: all agents; null: the rollout has ended.')
      .meta({ example: 2 }),
    MayBegin: z
      .int()
      .nullable()
      .describe('The number of agents that may have begun in this stage; null: the rollout has ended.')
      .meta({ example: 10 }),
    Agents: z
      .array(rolloutAgent)
      .describe('The agents whose latest upgrade is part of it, in the order of their creation.')
      .meta({
        example: [
          {
            agent_id: '5f0c2c7ba3b94bd4a0a5b3e1c1f2d3e45f0c2c7ba3b94bd4',
            Name: 'oslo-1',
            HostName: 'oslo-1.example.org',
            Location: 'Oslo',
            Connected: true,
            State: 'Downloading',
            Reason: null,
            Since: at,
          },
        ],
      }),
  })
  .meta({ id: 'Rollout', description: 'The upgrade of agents to a version.' });

/** Listing the rollouts of an account. */
export function rolloutRoutes({
  upgrades,
}: {
  readonly upgrades: Pick<UpgradeDeps, 'rolloutStage'>;
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/rollouts',
      level: 'UR',
      tag: 'Agents',
      summary: `The newest rollouts, at most ${maxRollouts}, with their agents; the newest first.`,
      description: 'A rollout of which each agent has a newer upgrade, or was removed, is not listed.',
      subject: noSubject,
      response: z.array(rolloutFull),
      names: { root: 'rollouts', row: 'rollout', id: 'Version' },
      handler: async ({ db, session: { accountNo, zone } }) => {
        const rows = await listRollouts(db, accountNo, maxRollouts);
        return { body: rows.map((row) => showRollout(row, zone, upgrades.rolloutStage)) };
      },
    }),
  ];
}

function showRollout(
  row: RolloutRow,
  zone: Zone,
  rolloutStage: UpgradeDeps['rolloutStage'],
): z.input<typeof rolloutFull> {
  const { state, agents } = row;
  const staged = agents.map((agent) => ({ state: agent.state, isConnected: agent.is_connected }));
  const { stage, mayBegin } = state === 'Running' ? rolloutStage(staged) : { stage: null, mayBegin: null };
  return {
    Version: row.version,
    State: state,
    Reason: row.reason === null ? null : cleanLine(row.reason),
    Started: zone.format(row.started_us),
    Ended: row.ended_us === null ? null : zone.format(row.ended_us),
    Stage: stage,
    MayBegin: mayBegin,
    Agents: agents.map((agent) => ({
      agent_id: agent.agent_id,
      Name: cleanLine(agent.name),
      HostName: agent.host_name,
      Location: cleanLine(agent.location),
      Connected: agent.is_connected,
      State: agent.state,
      Reason: agent.reason === null ? null : cleanLine(agent.reason),
      Since: zone.format(agent.changed_us),
    })),
  };
}
