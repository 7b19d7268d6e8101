import { boundedText } from '@vantage/kernel';
import { missing } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { route } from '@vantage/rest-kit/route-factories';
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

/** Upgrading one agent. */
export function upgradeRoutes({
  catalog,
  clock,
  upgrades,
}: AgentRouteDeps & { readonly upgrades: UpgradeDeps }): Route[] {
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
