import { hostname } from 'node:os';
import path from 'node:path';
import { agentAddresses, type ReleaseStatement } from '@vantage/domain';
import type { Clock, Logger } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Config } from '../../platform/config/config.ts';
import type { Tables } from '../../platform/db/index.ts';
import { withSafeAuthority } from '../../platform/server/agent-port.ts';
import { pinOf } from '../../platform/server/authority.ts';
import type { Authorities } from '../../platform/server/tls.ts';
import { type AgentPortHandlers, createAgentPortHandlers } from './agent-port-handlers.ts';
import { createDownloads } from './downloads.ts';
import { type AgentEnrolment, createEnrolment } from './enrolment.ts';
import { createOwnParcel, notMade } from './own-parcel.ts';
import { readSignedParcels } from './parcel-hashes.ts';
import { type InvitationPlan, planInvitation } from './plan-invitation.ts';

/** The handlers for agents and their installers. */
export interface AgentPortServices {
  /** Everything that the agents' port answers. */
  readonly handlers: AgentPortHandlers;
  /** Checks that agents can connect at the address of the agents' port. */
  readonly plan: () => Promise<InvitationPlan | { readonly kind: 'making'; readonly seconds: number }>;
  /** The parcels that the release key signed; undefined: there is no release key. */
  readonly signedParcels: () => Promise<readonly ReleaseStatement[] | undefined>;
}

const scriptFile = path.resolve(import.meta.dirname, '../../../../../agent-installer/install.sh');

/** Joins enrolment and downloads with the gateway: they share the agents' port. */
export function createAgentPortServices({
  config,
  kysely,
  agents,
  certificates,
  gateway,
  clock,
  log,
}: {
  readonly config: Pick<
    Config,
    'agentUrls' | 'publicUrl' | 'listen' | 'tlsNames' | 'agentPort' | 'parcels' | 'makesParcel' | 'releaseKey'
  >;
  readonly kysely: Kysely<Tables>;
  readonly agents: AgentEnrolment;
  readonly certificates: { readonly current: { readonly authorities: Authorities } };
  readonly gateway: {
    readonly handler: Parameters<typeof withSafeAuthority>[0];
    readonly serves: Parameters<typeof createDownloads>[0]['serves'];
    readonly peerOf: Parameters<typeof createDownloads>[0]['peerOf'];
  };
  readonly clock: Clock;
  readonly log: Logger;
}): AgentPortServices {
  const { tlsNames, parcels, agentPort: port } = config;
  const authorities = () => certificates.current.authorities;
  const enrolment = createEnrolment({ kysely, agents, authorities, clock, log });
  const downloads = createDownloads({
    clock,
    parcels,
    scriptFile,
    ca: () => authorities().trusted.join(''),
    mayDownload: (token) => enrolment.mayDownload(token),
    mayUpgrade: (keyHash) => enrolment.mayUpgrade(keyHash),
    serves: (socket) => gateway.serves(socket),
    peerOf: (connection) => gateway.peerOf(connection),
  });
  const ownParcel = createOwnParcel({ folder: parcels, isWanted: config.makesParcel, clock });
  const urls = agentAddresses(config, { port, hostName: hostname() });
  return {
    handlers: createAgentPortHandlers({
      clock,
      log,
      enrolment,
      downloads,
      gateway: withSafeAuthority(gateway.handler),
    }),
    signedParcels: async () => config.releaseKey && readSignedParcels(parcels, config.releaseKey.key),
    plan: async () => {
      const parcel = ownParcel.begin();
      if (parcel.kind === 'making') return parcel;
      const { trusted, signing } = authorities();
      const pin = pinOf(signing.serverKey);
      const releaseKey = config.releaseKey?.line;
      const noParcel = parcel.kind === 'failed' ? notMade(parcel.why) : undefined;
      return planInvitation({ urls, tlsNames, parcels, releaseKey, clock, trusted, pin, noParcel });
    },
  };
}
