import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { missing } from '../../rest/http/problem.ts';
import { type Route, route } from '../../rest/http/route.ts';
import { actorOf } from '../change.ts';
import { accepted } from '../refusal.ts';
import { type AgentRouteDeps, agentFull, oneAgent, show } from './routes.ts';
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
  db,
  catalog,
  clock,
  upgrades,
}: AgentRouteDeps & { readonly upgrades: UpgradeDeps }): Route[] {
  const shared = oneAgent({ db, clock });
  return [
    route({
      ...shared,
      path: '/agents/{agent_id}/upgrade',
      method: 'PUT',
      level: 'UW',
      summary: 'Upgrades an agent to another version.',
      description:
        'The agent downloads the parcel, verifies that the release key signed it, and starts it. It goes back to its present version by itself when the new one does not connect and report within two minutes. `Upgrade` of the agent shows how far it is. 1005 says why the agent cannot run the version.',
      body: upgrade,
      response: agentFull,
      handler: async ({ session, subject: { agent_id: agentId }, body: { Version: version } }) => {
        const { accountNo, zone } = session;
        const parcels = await upgrades.signedParcels();
        const asked = { accountNo, version, of: { kind: 'agent', agentId }, nowUs: clock.nowUs() } as const;
        const { startRollout } = upgrades;
        accepted(
          await catalog.change(actorOf(session), (transaction) =>
            upgradeAgents(transaction, asked, { parcels, startRollout }),
          ),
        );
        const changed = await shared.subject.find(session, { agent_id: agentId });
        if (changed === undefined) throw missing('agent');
        return { body: show(changed, zone) };
      },
    }),
  ];
}
