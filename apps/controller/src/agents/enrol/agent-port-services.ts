import { hostname } from 'node:os';
import path from 'node:path';
import { agentAddresses, type ReleaseStatement } from '@vantage/domain';
import type { Clock, Logger } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { ControllerConfig } from '../../config/controller-config.ts';
import { withSafeAuthority } from '../../server/agent-port.ts';
import { pinOf } from '../../server/public-key-pin.ts';
import type { Authorities } from '../../server/server-certificate.ts';
import { type AgentPortHandlers, createAgentPortHandlers } from './agent-port-handlers.ts';
import { type AgentEnrolment, createEnrolment } from './enrol-agent.ts';
import { createOwnParcel, notMade } from './own-parcel.ts';
import { readSignedParcels } from './parcel-folder.ts';
import { createDownloads } from './parcels.ts';
import { type InvitationPlan, planInvitation } from './plan-invitation.ts';

/** The handlers for agents and their installers. */
interface AgentPortServices {
  /** Everything that the agents' port answers. */
  readonly handlers: AgentPortHandlers;
  /**
   * Checks that agents can connect at the address of the agents' port. `chosen` are addresses of the inviter's choice,
   * to which the controller does not connect: its answer would tell who is in its network.
   */
  readonly plan: (
    chosen?: readonly string[],
  ) => Promise<
    | (InvitationPlan & { readonly urls: readonly string[] })
    | { readonly kind: 'making'; readonly seconds: number }
  >;
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
    ControllerConfig,
    'agentUrls' | 'publicUrl' | 'listen' | 'tlsNames' | 'agentPort' | 'parcels' | 'makesParcel' | 'releaseKey'
  >;
  readonly kysely: Kysely<Tables>;
  readonly agents: AgentEnrolment;
  readonly certificates: {
    readonly current: { readonly authorities: Authorities; readonly gateway: { readonly cert: string } };
  };
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
    plan: async (chosen) => {
      const parcel = ownParcel.begin();
      if (parcel.kind === 'making') return parcel;
      const { trusted, signing } = authorities();
      const pin = pinOf(signing.serverKey);
      const releaseKey = config.releaseKey?.line;
      const noParcel = parcel.kind === 'failed' ? notMade(parcel.why) : undefined;
      const terms = { urls: chosen ?? urls, tlsNames, parcels, releaseKey, clock, trusted, pin, noParcel };
      const named = { isChecked: false, certificate: certificates.current.gateway.cert };
      const plan = await planInvitation({ ...terms, ...(chosen === undefined ? {} : named) });
      return { ...plan, urls: terms.urls };
    },
  };
}
