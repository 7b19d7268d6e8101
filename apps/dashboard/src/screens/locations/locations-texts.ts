import { agentName, shareOf } from '../../model/fleet-agent.ts';
import type { Need } from '../../model/fleet-needs.ts';
import { briefly, count, milliseconds } from '../../model/format.ts';
import { agentsOf, devicesOf, listed } from '../../texts/counted.ts';

const gap = '\u00a0';
/** `81 %`: a share of a capacity, rounded. */
const shareWords = (share: number) => `${Math.round(share * 100)}${gap}%`;
/** `+2.1 s`, `−0.2 ms`: how far an agent's clock is ahead or behind. */
const offset = (ms: number) =>
  `${ms < 0 ? '−' : '+'}${Math.abs(ms) < 0.05 ? `0${gap}ms` : milliseconds(Math.abs(ms))}`;

/** Texts of the screens of Locations and agents. */
export const locationsTexts = {
  title: 'Locations',
  headline: (total: number, offline: readonly string[], first: string) => {
    if (total === 0) return ['There are no Locations yet', ''] as const;
    if (offline.length === 0)
      return [total === 1 ? `${first} is online` : `All ${count(total)} Locations are online`, ''] as const;
    const names = `${listed(offline)} ${offline.length === 1 ? 'is' : 'are'} offline`;
    if (total === 1) return ['', names] as const;
    return offline.length === total
      ? (['', `All ${count(total)} Locations are offline`] as const)
      : ([`${count(total - offline.length)} of ${count(total)} Locations are online, `, names] as const);
  },
  summary: (connected: number, total: number) => `${count(connected)} of ${agentsOf(total)} connected`,
  noAgents: 'No agent was connected yet.',
  totalLoad: (load: number, capacity: number) =>
    `${count(Math.round(load))} of ${count(capacity)} checks a minute`,
  latest: (ms: number, name: string) => `checks start within ${milliseconds(ms)} (99th percentile, ${name})`,
  empty: 'Devices are checked from Locations. Create one, and invite an agent to it.',
  noMatch: 'No Location and no agent match.',
  showAll: 'Show all',
  invite: 'Invite an agent',
  inviteTo: (name: string) => `Invite for ${name}`,
  create: 'New Location',
  csvLocations: 'Locations as CSV',
  csvAgents: 'Agents as CSV',
  search: 'Search Locations, agents, hosts and versions',
  stateNames: {
    all: 'All',
    offline: 'Locations: offline',
    waiting: 'Locations: agent invited',
    away: 'Agents: offline',
    old: 'Agents: old version',
    upgrading: 'Agents: upgrading',
    failed: 'Agents: upgrade failed',
  },
  states: 'Which Locations and agents',
  versions: 'Version',
  everyVersion: 'All versions',
  versionCount: (version: string, n: number) => `${version} (${count(n)})`,
  selectAll: (n: number) => `Select all ${agentsOf(n)} that match`,
  selectAgent: (name: string) => `Select ${name}`,
  upgrades: 'Upgrades',
  sortBy: 'Order',
  more: (n: number) => `Show ${count(n)} more`,
  shown: (n: number, total: number) => `${count(n)} of ${count(total)} Locations are shown.`,
  columns: {
    name: 'Location, agent',
    state: 'State',
    load: 'Load of capacity, checks a minute',
    late: 'Late, p99',
    backlog: 'Backlog',
    clock: 'Clock',
    version: 'Version',
    certificate: 'Certificate ends',
  },
  sortNames: {
    state: 'Offline first',
    name: 'By name',
    load: 'By load',
    late: 'By lateness',
    backlog: 'By backlog',
    clock: 'By clock offset',
    version: 'By version',
    certificate: 'By end of certificate',
  },
  footer:
    'The line in a bar is 80 % of the capacity. Late: how long after its due time a check starts. Clock: how far the agent’s clock is behind the controller’s; times of checks are corrected. An agent renews its certificate automatically.',
  online: 'online',
  offlineFor: (seconds: number) => `offline for ${briefly(seconds)}`,
  offline: 'offline',
  noAgent: 'has no agent',
  waiting: 'waiting for its agent',
  agentStates: {
    Connected: 'connected',
    Fenced: 'stopped: its identity is used twice',
    Revoked: 'revoked',
    Expired: 'invitation expired',
  },
  away: (seconds: number) => `offline for ${briefly(seconds)}`,
  awayNever: 'not connected',
  invited: (left: number) =>
    left > 0 ? `waiting for its first connection, ${briefly(left)} left` : 'waiting for its first connection',
  nameless: 'agent without a name',
  backlogUnknown: 'not known',
  devices: devicesOf,
  unknown: (n: number) => `${count(n)} Unknown`,
  down: (n: number) => `${count(n)} Down`,
  noAnchors: 'no anchors',
  anchors: 'anchors',
  anchor: (name: string, state: string) => `${name} ${state}`,
  ofCapacity: (load: number, capacity: number) => `${count(Math.round(load))} of ${count(capacity)}`,
  barLabel: (share: number) => `${shareWords(share)} of its capacity`,
  offset,
  upgrade: (version: string, state: string) => `${version} ${state}`,
  upgradeStates: {
    Waiting: 'waits',
    Started: 'begins',
    Downloading: 'downloads',
    Restarting: 'on trial',
    Done: 'done',
    Failed: 'failed',
    Stopped: 'stopped',
  },
  noRights: 'You can view Locations and agents, not change them. That needs a key or person of level UW.',
} as const;

/** The sentence of a need, the reason, and the label of its action. */
export const needTexts = {
  title: 'Needs attention',
  all: (n: number) => `Show all ${count(n)}`,
  fewer: 'Show fewer',
  open: 'Open',
  how: 'How',
  upgrade: 'Upgrade',
  show: 'Show them',
  words(need: Need, nowMs: number): readonly [string, string] {
    switch (need.kind) {
      case 'offline':
        return [
          `${need.location.Name} is offline`,
          `${need.location.OfflineReason ?? 'no agent is connected'}; ${devicesOf(need.location.Load.Devices)} assigned`,
        ];
      case 'empty':
        return [
          `${need.location.Name} has no agent`,
          need.location.Load.Devices === 0
            ? 'no device is checked from it'
            : `${devicesOf(need.location.Load.Devices)} assigned, none is checked from it`,
        ];
      case 'fenced':
        return [
          `${agentName(need.agent)} is stopped`,
          'two processes use its identity; end one of them, then revoke it and invite again',
        ];
      case 'away': {
        const { LastSeen } = need.agent;
        return [
          `${agentName(need.agent)} is offline`,
          LastSeen === null
            ? 'other agents check its devices'
            : `since ${briefly((nowMs - Date.parse(LastSeen)) / 1_000)}; other agents check its devices`,
        ];
      }
      case 'blind':
        return [`${agentName(need.agent)} cannot check`, need.agent.OfflineReason ?? ''];
      case 'certificate':
        return [
          `The certificate of ${agentName(need.agent)} ${Date.parse(need.agent.CertificateEnd ?? '') <= nowMs ? 'has ended' : 'ends soon'}`,
          'the agent renews it when it reaches the controller; after its end invite the agent again',
        ];
      case 'anchor':
        return [`Anchor ${need.anchor} of ${need.location.Name} is Down`, need.reason ?? ''];
      case 'clock':
        return [
          `The clock of ${agentName(need.agent)} is ${milliseconds(Math.abs(need.agent.ClockOffset))} ${need.agent.ClockOffset > 0 ? 'behind' : 'ahead'}`,
          'times of its checks are corrected; start a time service on the host',
        ];
      case 'load':
        return [
          `${agentName(need.agent)} is near its capacity`,
          `${shareWords(shareOf(need.agent))}, checks start ${milliseconds(need.agent.Lateness.p99)} late (99th percentile); a second agent takes half`,
        ];
      case 'late':
        return [
          `Checks of ${agentName(need.agent)} start late`,
          `${milliseconds(need.agent.Lateness.p99)} at the 99th percentile, although it uses ${shareWords(shareOf(need.agent))} of its capacity`,
        ];
      case 'backlog':
        return [
          `${agentName(need.agent)} has ${count(need.agent.Backlog)} unsent results`,
          'it sends them with the next connections; its checks continue',
        ];
      case 'quarantine':
        return [
          `${count(need.records)} results of the last day were not accepted`,
          'they are kept with their reasons, and can be validated again',
        ];
      case 'upgradeFailed':
        return [
          `The upgrade of ${agentName(need.agent)} to ${need.agent.Upgrade?.Version ?? ''} failed`,
          need.agent.Upgrade?.Reason ?? '',
        ];
      case 'rollout':
        return [
          `Upgrade to ${need.version}`,
          `${count(need.done)} done, ${count(need.running)} under way, ${count(need.waiting)} waiting; it stops if one fails`,
        ];
      case 'expired':
        return ['An invitation expired', `for ${need.agent.Location}, it was not used`];
      case 'oldVersion':
        return need.agents.length === 1 && need.agents[0] !== undefined
          ? [
              `${agentName(need.agents[0])} has an old version`,
              `${need.agents[0].Version ?? ''}, the newest is ${need.version}`,
            ]
          : [
              `${agentsOf(need.agents.length)} have an old version`,
              `${listed(need.agents.map(agentName))}; the newest is ${need.version}`,
            ];
      case 'single':
        return need.locations.length === 1 && need.locations[0] !== undefined
          ? [
              `${need.locations[0].Name} has one agent`,
              'without it its devices are not checked; a second one takes over',
            ]
          : [
              `${count(need.locations.length)} Locations have one agent`,
              `${listed(need.locations.map(({ Name }) => Name))}; a second one takes over`,
            ];
    }
  },
} as const;
