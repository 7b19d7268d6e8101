import { causedBy, type OfLocation, secondsSince } from './event-kind.ts';

interface OfAnchor extends OfLocation {
  readonly anchorName: string;
  /** Its address, with or without a port. It is unique among the anchors of a Location. */
  readonly target: string;
  /** The time since which it does not answer. */
  readonly sinceUs: number;
}

interface OfAgent extends OfLocation {
  readonly agentName: string;
}

/** The reason for the end of an anchor's alert, for people. */
const anchorEnds = {
  answers: 'answers again',
  removed: 'is no longer set',
  unchecked: 'can no longer be checked',
} as const;

export const locationEvents = {
  /** No agent of a Location runs its checks now; `sinceUs` is the end of the last coverage. */
  'location-offline': causedBy<
    OfLocation & {
      readonly sinceUs: number;
      /** The reason that a connected agent reported; null if no agent is connected. */
      readonly reason: string | null;
      /** The number of devices that no Location checks now. */
      readonly devices: number;
    }
  >()({
    types: ['LocationOffline'],
    changesAlerts: true,
    row: ({ sinceUs }) => ({ type: 'LocationOffline', status: 'Unknown', at_us: sinceUs }),
    text: ({ locationName, reason, devices }) => {
      const why = reason === null ? '' : ` (${reason})`;
      const count = `${devices} ${devices === 1 ? 'device' : 'devices'}`;
      return `Location ${locationName} is offline${why}, ${count} not checked`;
    },
  }),
  /** An agent of an offline Location is connected and runs its checks again. */
  'location-online': causedBy<OfLocation & { readonly offlineSinceUs: number }>()({
    types: ['LocationOnline'],
    changesAlerts: true,
    row: ({ offlineSinceUs }, nowUs) => ({
      type: 'LocationOnline',
      status: 'Up',
      duration_s: secondsSince(offlineSinceUs, nowUs),
    }),
    text: ({ locationName }) => `Location ${locationName} is online again`,
  }),
  /** `reason` describes the agent's last check of the anchor. */
  'anchor-down': causedBy<OfAnchor & { readonly reason: string }>()({
    types: ['AnchorDown'],
    changesAlerts: true,
    row: ({ sinceUs }) => ({ type: 'AnchorDown', status: 'Unknown', at_us: sinceUs }),
    text: ({ anchorName, target, locationName, reason }) =>
      `Anchor ${anchorName} (${target}) of Location ${locationName} does not answer, errors of devices behind it are inconclusive: ${reason}`,
  }),
  'anchor-up': causedBy<OfAnchor & { readonly because: keyof typeof anchorEnds }>()({
    types: ['AnchorUp'],
    changesAlerts: true,
    row: ({ sinceUs }, nowUs) => ({
      type: 'AnchorUp',
      status: 'Up',
      duration_s: secondsSince(sinceUs, nowUs),
    }),
    text: ({ anchorName, target, locationName, because }) =>
      `Anchor ${anchorName} (${target}) of Location ${locationName} ${anchorEnds[because]}`,
  }),
  /** Two hosts used the identity of one agent, so the controller fenced the agent. */
  'agent-fenced': causedBy<OfAgent & { readonly hostNames: readonly string[] }>()({
    types: ['AgentFenced'],
    changesAlerts: true,
    row: () => ({ type: 'AgentFenced', status: 'Unknown' }),
    text: ({ agentName, locationName, hostNames }) =>
      `Agent ${agentName} of Location ${locationName} is fenced, its identity is used twice (hosts: ${hostNames.join(' and ')})`,
  }),
  /** A user or the operator revoked an agent, which can no longer connect. */
  'agent-revoked': causedBy<OfAgent>()({
    types: ['AgentRevoked'],
    changesAlerts: false,
    row: () => ({ type: 'AgentRevoked', status: 'Unknown' }),
    text: ({ agentName, locationName }) => `Agent ${agentName} of Location ${locationName} was revoked`,
  }),
  /** An agent runs the requested version, or has returned to its previous one because of `fault`. */
  'agent-upgraded': causedBy<OfAgent & { readonly version: string; readonly fault: string | null }>()({
    types: ['AgentUpgraded', 'AgentUpgradeFailed'],
    changesAlerts: false,
    row: ({ fault }) => ({
      type: fault === null ? 'AgentUpgraded' : 'AgentUpgradeFailed',
      status: 'Unknown',
    }),
    text: ({ agentName, locationName, version, fault }) => {
      const agent = `Agent ${agentName} of Location ${locationName}`;
      return fault === null
        ? `${agent} runs version ${version}`
        : `${agent} was not upgraded to version ${version}: ${fault}`;
    },
  }),
};
