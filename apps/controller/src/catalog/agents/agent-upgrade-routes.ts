import { boundedText } from '@vantage/kernel';
import { idField } from '@vantage/rest-kit/field';
import { missing } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import { z } from 'zod';
import { actorOf } from '../../resources/change.ts';
import { accepted } from '../../resources/refusal.ts';
import { agentFull, show } from './agent-fields.ts';
import { type AgentRouteDeps, oneAgent } from './agent-routes.ts';
import { type UpgradeDeps, upgradeAgents } from './upgrade.ts';

const upgrade = z
  .strictObject({
    Version: boundedText(30, 1)
      .describe('The version to run. The controller needs its signed parcel.')
      .meta({ example: '0.3.0' }),
  })
  .meta({ id: 'AgentUpgradeRequest', description: 'The version that an agent is to run.' });

/** Agents in one request. */
const maxAgents = 1_000;

const upgradeMany = z
  .strictObject({
    ...upgrade.shape,
    Agents: z
      .array(boundedText(100, 1))
      .min(1)
      .max(maxAgents)
      .optional()
      .describe(
        `The ids of the agents, at most ${maxAgents}; absent: all agents of the account that are not revoked.`,
      )
      .meta({ example: ['27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802'] }),
    Preview: z.boolean().optional().describe('true: only says which agents would be upgraded.'),
  })
  .meta({ id: 'AgentsUpgradeRequest', description: 'The version that agents are to run.' });

const upgradedMany = z
  .strictObject({
    Version: z.string().describe('The requested version.').meta({ example: '0.3.0' }),
    Agents: z
      .int()
      .describe('The number of agents of the rollout; with Preview: that it would have.')
      .meta({ example: 12 }),
    Skipped: z
      .array(
        z.strictObject({
          agent_id: idField,
          Name: z.string(),
          Reason: z.string().meta({ example: 'it runs version 0.3.0 already' }),
        }),
      )
      .describe('The agents that are not upgraded, each with the reason.')
      .meta({ example: [] }),
  })
  .meta({ id: 'AgentsUpgrade', description: 'A rollout that began, or would begin.' });

/** The dependencies of the routes of upgrades. */
type UpgradeRouteDeps = AgentRouteDeps & {
  readonly upgrades: Pick<UpgradeDeps, 'signedParcels' | 'startRollout'>;
};

/** Upgrading agents. */
export function upgradeRoutes(deps: UpgradeRouteDeps): Route[] {
  return [manyRoute(deps), ...oneRoutes(deps)];
}

function manyRoute({ catalog, clock, upgrades }: UpgradeRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/agents/upgrade',
    level: 'UW',
    tag: 'Agents',
    summary: 'Upgrades many agents to another version, in one rollout of four stages.',
    description:
      'A rollout upgrades one agent, then 10 %, 50 % and all of them, at most 20 at the same time, and stops when an agent fails. `GET /rollouts` shows how far it is. 1005 says why no agent can run the version.',
    subject: noSubject,
    body: upgradeMany,
    response: upgradedMany,
    names: { root: 'upgrade' },
    handler: async ({ db, session, body: { Version: version, Agents: agentIds, Preview } }) => {
      const asked = {
        accountNo: session.accountNo,
        version,
        of: agentIds === undefined ? ({ kind: 'all' } as const) : ({ kind: 'agents', agentIds } as const),
        nowUs: clock.nowUs(),
        isPreview: Preview === true,
      };
      const parcels = await upgrades.signedParcels();
      const { startRollout } = upgrades;
      const { agents, skipped } = accepted(
        await catalog.change(db, actorOf(session), (transaction) =>
          upgradeAgents(transaction, asked, { parcels, startRollout }),
        ),
      );
      const Skipped = skipped.map(({ agent_id, name, reason }) => ({ agent_id, Name: name, Reason: reason }));
      return { body: { Version: version, Agents: agents, Skipped } };
    },
  });
}

function oneRoutes({ catalog, clock, upgrades }: UpgradeRouteDeps): Route[] {
  const shared = oneAgent({ clock });
  return [
    route({
      ...shared,
      path: '/agents/{agent_id}/upgrade',
      method: 'PUT',
      level: 'UW',
      summary: 'Upgrades an agent to another version.',
      description:
        'The agent downloads the parcel, verifies that the release key signed it, and starts it. It returns to its present version when the new one does not connect and report within two minutes. `Upgrade` of the agent shows how far it is. 1005 says why the agent cannot run the version.',
      body: upgrade,
      response: agentFull,
      handler: async ({ db, session, subject: { agent_id: agentId }, body: { Version: version } }) => {
        const { accountNo, zone } = session;
        const parcels = await upgrades.signedParcels();
        const asked = { accountNo, version, of: { kind: 'agent', agentId }, nowUs: clock.nowUs() } as const;
        const { startRollout } = upgrades;
        accepted(
          await catalog.change(db, actorOf(session), (transaction) =>
            upgradeAgents(transaction, asked, { parcels, startRollout }),
          ),
        );
        const changed = await shared.subject.find(session, { agent_id: agentId }, db);
        if (changed === undefined) throw missing('agent');
        return { body: show(changed, zone) };
      },
    }),
  ];
}
