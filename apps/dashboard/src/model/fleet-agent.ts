/** The properties of an agent that the fleet shows. */
export interface FleetAgent {
  readonly agent_id: string;
  readonly location_id: string;
  readonly Location: string;
  readonly Name: string;
  readonly HostName: string | null;
  readonly Version: string | null;
  readonly State: 'New' | 'Connected' | 'Away' | 'Fenced' | 'Revoked' | 'Expired';
  readonly LastSeen: string | null;
  readonly ClockOffset: number;
  readonly Backlog: number;
  readonly Lateness: { readonly p99: number };
  readonly Capacity: number;
  readonly Load: number;
  readonly OfflineReason: string | null;
  readonly CertificateEnd: string | null;
  readonly Upgrade: {
    readonly Version: string;
    readonly State: 'Waiting' | 'Started' | 'Downloading' | 'Restarting' | 'Done' | 'Failed' | 'Stopped';
    readonly Reason: string | null;
  } | null;
}

/** The figures of an agent that can be out of their range. */
export type Figure = 'load' | 'late' | 'backlog' | 'clock' | 'certificate';

/** From this share of its capacity on, an agent has no reserve for a failed neighbour. */
export const fullShare = 0.8;
const maxLateMs = 500;
const maxClockMs = 1_000;
/** Fewer records than this are results that are about to be sent. */
const minBacklog = 100;
/** An agent renews its certificate earlier. */
const certificateMs = 24 * 3_600_000;

/** An agent that can check devices, or could: it was connected once and may connect again. */
export const isInUse = ({ State, Version }: Pick<FleetAgent, 'State' | 'Version'>): boolean =>
  Version !== null && (State === 'Connected' || State === 'Away' || State === 'Fenced');

/** An agent that was invited and may still connect for the first time. */
export const isInvited = ({ State }: Pick<FleetAgent, 'State'>): boolean => State === 'New';

/** Lateness, backlog and clock are reports of a connected agent. Others have no present ones. */
export const hasReports = ({ State, Version }: Pick<FleetAgent, 'State' | 'Version'>): boolean =>
  State === 'Connected' && Version !== null;

/** The name for people: the name, else that of the host, else the start of the id. */
export const agentName = ({
  Name,
  HostName,
  agent_id,
}: Pick<FleetAgent, 'Name' | 'HostName' | 'agent_id'>): string =>
  Name !== '' ? Name : (HostName ?? agent_id.slice(0, 8));

/** The share of its capacity that an agent uses; 0 without a capacity. */
export const shareOf = ({ Load, Capacity }: Pick<FleetAgent, 'Load' | 'Capacity'>): number =>
  Capacity > 0 ? Load / Capacity : 0;

/** The figures of an agent that are out of their range at `nowMs`. Pure. */
export function figuresOut(agent: FleetAgent, nowMs: number): ReadonlySet<Figure> {
  const out = new Set<Figure>();
  if (!isInUse(agent)) return out;
  const { CertificateEnd, Lateness, Backlog, Load, ClockOffset } = agent;
  if (CertificateEnd !== null && Date.parse(CertificateEnd) - nowMs < certificateMs) out.add('certificate');
  if (!hasReports(agent)) return out;
  if (shareOf(agent) >= fullShare) out.add('load');
  if (Lateness.p99 >= maxLateMs) out.add('late');
  // More than a minute of checks.
  if (Backlog > Math.max(minBacklog, Load)) out.add('backlog');
  if (Math.abs(ClockOffset) >= maxClockMs) out.add('clock');
  return out;
}

/** Compares versions by their numbers: below 0 if `a` is older. A preview is older than its release. Pure. */
export function compareVersions(a: string, b: string): number {
  const [partsA, partsB] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < 3; at += 1) {
    const difference = (partsA.numbers[at] ?? 0) - (partsB.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(partsB.isPreview) - Number(partsA.isPreview);
}

function partsOf(version: string) {
  const [release = '', preview] = version.split('-', 2);
  return { numbers: release.split('.').map((part) => Number(part) || 0), isPreview: preview !== undefined };
}

/** The newest of the controller's version and those of agents in use; undefined: none is known. Pure. */
export function newestVersion(
  agents: readonly Pick<FleetAgent, 'State' | 'Version'>[],
  controllerVersion: string | undefined,
): string | undefined {
  const versions = agents.flatMap((agent) => (isInUse(agent) ? (agent.Version ?? []) : []));
  return [...versions, ...(controllerVersion === undefined ? [] : [controllerVersion])].toSorted((a, b) =>
    compareVersions(b, a),
  )[0];
}

/** An agent in use with an older version than `newest`. Pure. */
export const isOld = (agent: Pick<FleetAgent, 'State' | 'Version'>, newest: string | undefined): boolean =>
  newest !== undefined && isInUse(agent) && compareVersions(agent.Version ?? '', newest) < 0;

/** The states of an upgrade that has not ended. */
const openUpgrades: readonly string[] = ['Waiting', 'Started', 'Downloading', 'Restarting'];

/** An agent whose upgrade has not ended. Pure. */
export const isUpgrading = ({ Upgrade }: Pick<FleetAgent, 'Upgrade'>): boolean =>
  Upgrade !== null && openUpgrades.includes(Upgrade.State);
