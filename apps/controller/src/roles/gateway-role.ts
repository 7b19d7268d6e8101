import { descriptorLimit, messageOf } from '@vantage/kernel';
import { createAgentPortServices } from '../agents/enrol/index.ts';
import { createGateway } from '../agents/gateway/index.ts';
import { createParcelOffer } from '../agents/gateway/offered-parcels.ts';
import { runRequests } from '../agents/run-requests/index.ts';
import { agentEnrolment } from '../catalog/agents/enrolment-store.ts';
import { agentPresence } from '../catalog/agents/presence-store.ts';
import { tracedBatches } from '../observe/tracing/index.ts';
import { connectionCaps } from '../server/connection-caps.ts';
import type { Base } from './open-base.ts';
import type { Shared } from './shared-steps.ts';

/** The role that serves agents: their streams, their enrolment and the download of their installer. */
export type GatewayRole = ReturnType<typeof joinGateway>;

/** Joins agents = stream = gateway -> ingest. */
export function joinGateway(base: Base, { ingest, health, recordEvents, upgrades }: Shared) {
  const { config, clock, log, db, sealer, controllerId, certificates, tracing } = base;
  const { kysely } = db;
  const showOnline = (locationNo: number) =>
    health.updateVisibilityNow(kysely, locationNo).catch((error: unknown) => {
      log.debug({ error: messageOf(error) }, 'the next round of health updates the Location');
    });
  const gateway = createGateway({
    db,
    clock,
    log,
    sealer,
    controllerId,
    runRequests,
    recordEvents,
    upgrades,
    ingest: { accept: base.disk.whileRoom(base.metrics.measureIngest(tracedBatches(tracing, ingest))) },
    agents: agentPresence,
    history: base.continuity,
    trusted: () => certificates.current.authorities.trusted,
    maxConnections: connectionCaps(descriptorLimit()).total,
    onAgentSeen: ({ locationNo }) => void showOnline(locationNo),
  });
  const { handlers, plan, signedParcels } = createAgentPortServices({
    config,
    kysely,
    clock,
    log,
    gateway,
    agents: agentEnrolment,
    certificates,
  });
  const offer = createParcelOffer({ kysely, controllerId, clock, log, signedParcels });
  return {
    gateway,
    agentPortHandlers: handlers,
    planInvitation: plan,
    signedParcels,
    /** The loops of this role. */
    run: (ending: AbortSignal): readonly Promise<void>[] => [offer.run(ending)],
  };
}
