import type { DeviceStatus } from '@vantage/domain';
import { asRead } from '@vantage/imports';
import type { ReportedStatus } from '@vantage/imports/status';

/** The fields of a device in `GET /devices` that a comparison uses. */
export interface ComparedDevice {
  readonly device_id: string;
  readonly ShortName: string;
  readonly FullName: string | null;
  readonly ExternalKey: string | null;
  readonly URL: string;
  readonly Status: DeviceStatus;
  readonly Enabled: boolean;
  readonly StatusSince: string;
  readonly LastCheckResult: string | null;
}

/** A device with different statuses in both tools. */
interface StatusDisagreement {
  readonly Device: string;
  readonly device_id: string;
  /** The later of both last changes; null where the other tool does not report it. */
  readonly Since: string | null;
  readonly There: DeviceStatus;
  readonly ThereBecause: string;
  readonly Here: DeviceStatus;
  readonly HereBecause: string;
}

/** Each check of both tools is counted in `Agree` or is in exactly one list. */
export interface StatusComparison {
  readonly Agree: number;
  readonly Disagree: readonly StatusDisagreement[];
  /** Checks whose status is unknown in one tool: paused, new or never checked. */
  readonly Undecided: readonly string[];
  readonly OnlyThere: readonly string[];
  readonly OnlyHere: readonly string[];
}

/**
 * Compares the present statuses of the other tool with those of the controller. A device is found by its ExternalKey,
 * then its URL, then its name, and only if exactly one matches. Pure.
 */
export function compareStatuses(
  there: readonly ReportedStatus[],
  here: readonly ComparedDevice[],
): StatusComparison {
  const unmatched = new Set(here);
  const indexes = [
    index(here, ({ ExternalKey }) => [ExternalKey]),
    index(here, ({ URL }) => [URL, URL.replace(/^[a-z0-9+.-]+:\/\//i, '')]),
    index(here, ({ FullName }) => [FullName]),
    index(here, ({ ShortName }) => [ShortName]),
  ];
  const find = ({ ids, name }: ReportedStatus): ComparedDevice | undefined => {
    for (const byText of indexes)
      for (const text of [...ids, name]) {
        const matches = (byText.get(asRead(text)) ?? []).filter((device) => unmatched.has(device));
        if (matches.length === 1) return matches[0];
      }
    return undefined;
  };
  const disagree: StatusDisagreement[] = [];
  const undecided: string[] = [];
  const onlyThere: string[] = [];
  let agree = 0;
  for (const reported of there) {
    const device = find(reported);
    if (device === undefined) {
      onlyThere.push(reported.name);
      continue;
    }
    unmatched.delete(device);
    const status = device.Enabled ? device.Status : 'Unknown';
    if (status === reported.verdict) agree += 1;
    else if (status === 'Unknown' || reported.verdict === 'Unknown')
      undecided.push(
        `${reported.name} (there ${reported.verdict}, here ${device.Enabled ? status : 'paused'})`,
      );
    else disagree.push(disagreement(reported, device));
  }
  return {
    Agree: agree,
    Disagree: disagree.toSorted((a, b) => (a.Since ?? '').localeCompare(b.Since ?? '')),
    Undecided: undecided,
    OnlyThere: onlyThere,
    OnlyHere: [...unmatched].map((device) => device.FullName ?? device.ShortName),
  };
}

function disagreement(reported: ReportedStatus, device: ComparedDevice): StatusDisagreement {
  const hereMs = Date.parse(device.StatusSince);
  return {
    Device: device.FullName ?? device.ShortName,
    device_id: device.device_id,
    Since:
      reported.sinceMs === undefined || Number.isNaN(hereMs)
        ? null
        : new Date(Math.max(reported.sinceMs, hereMs)).toISOString(),
    There: reported.verdict,
    ThereBecause: reported.why,
    Here: device.Status,
    HereBecause: device.LastCheckResult ?? '',
  };
}

function index(
  devices: readonly ComparedDevice[],
  textsOf: (device: ComparedDevice) => readonly (string | null)[],
): ReadonlyMap<string, readonly ComparedDevice[]> {
  const byText = new Map<string, ComparedDevice[]>();
  for (const device of devices) {
    const texts = textsOf(device).flatMap((text) => (text === null || text === '' ? [] : [asRead(text)]));
    for (const text of new Set(texts)) byText.set(text, [...(byText.get(text) ?? []), device]);
  }
  return byText;
}

/** The comparison for people. */
export function comparisonText(comparison: StatusComparison): string {
  const { Agree, Disagree, Undecided, OnlyThere, OnlyHere } = comparison;
  const section = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : ['', `${title} (${names.length}):`, ...names.map((name) => `  ${name}`)];
  return [
    `${Agree} agree, ${Disagree.length} disagree, ${Undecided.length} undecided, ${OnlyThere.length} only there, ${OnlyHere.length} only here.`,
    ...section('Disagree', Disagree.map(disagreementText)),
    ...section('Undecided', Undecided),
    ...section('Only there', OnlyThere),
    ...section('Only here', OnlyHere),
  ].join('\n');
}

function disagreementText({
  Device,
  There,
  ThereBecause,
  Here,
  HereBecause,
  Since,
}: StatusDisagreement): string {
  const because = (reason: string) => (reason === '' ? '' : ` (${reason})`);
  return `${Device}: there ${There}${because(ThereBecause)}, here ${Here}${because(HereBecause)}, since ${Since ?? 'an unknown time'}`;
}
