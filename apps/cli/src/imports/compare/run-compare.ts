import { printText } from '../../output.ts';
import { connect, take } from '../../remote/connection.ts';
import type { ControllerAccess } from '../../remote/https-fetch.ts';
import { asRead } from '../names.ts';
import type { DeviceStatus, OldStatus, Verdict } from './old-status.ts';
import { statusReaders } from './read-old.ts';

/** Prints how the other tool's file and the controller differ. True: they agree on all that both have. */
export async function runCompare(
  format: keyof typeof statusReaders,
  file: string,
  access: ControllerAccess,
  asJson: boolean,
): Promise<boolean> {
  const there = statusReaders[format](file);
  const comparison = compareStatuses(there, await readDevices(access));
  printText(asJson ? JSON.stringify(comparison, null, 2) : comparisonText(comparison));
  return comparison.Disagree.length === 0;
}

const pageSize = 100;
const mostPages = 1000;

/** All devices with their status: `GET /devices`, because `/states` has neither the ExternalKey nor the last result. */
async function readDevices(access: ControllerAccess): Promise<readonly DeviceStatus[]> {
  using connection = connect(access);
  const devices: DeviceStatus[] = [];
  let After: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const query = { Limit: pageSize, ...(After === undefined ? {} : { After }) };
    const rows = await take(connection.client.GET('/devices', { params: { query } }));
    devices.push(...rows);
    After = rows.at(-1)?.device_id;
    if (rows.length < pageSize || After === undefined) break;
  }
  return devices;
}

/** A thing about which both tools say something else. */
interface Disagreement {
  readonly Device: string;
  readonly device_id: string;
  /** Since when both say what they say now: the later of the two; null: the other tool does not tell. */
  readonly Since: string | null;
  readonly There: Verdict;
  readonly ThereBecause: string;
  readonly Here: Verdict;
  readonly HereBecause: string;
}

/** All things of both tools; each is in exactly one of the lists, or agrees. */
interface Comparison {
  readonly Agree: number;
  readonly Disagree: readonly Disagreement[];
  /** One of both has no verdict: it is paused, new, or not checked. */
  readonly Undecided: readonly string[];
  readonly OnlyThere: readonly string[];
  readonly OnlyHere: readonly string[];
}

/**
 * Compares what two tools say now. A device is found by its ExternalKey, then its URL, then its name; only a sole match
 * counts. Pure.
 */
export function compareStatuses(there: readonly OldStatus[], here: readonly DeviceStatus[]): Comparison {
  const left = new Set(here);
  const indexes = [
    index(here, ({ ExternalKey }) => [ExternalKey]),
    index(here, ({ URL }) => [URL, URL.replace(/^[a-z0-9+.-]+:\/\//i, '')]),
    index(here, ({ FullName }) => [FullName]),
    index(here, ({ ShortName }) => [ShortName]),
  ];
  const find = ({ ids, name }: OldStatus): DeviceStatus | undefined => {
    for (const byText of indexes)
      for (const text of [...ids, name]) {
        const found = (byText.get(asRead(text)) ?? []).filter((device) => left.has(device));
        if (found.length === 1) return found[0];
      }
    return undefined;
  };
  const disagree: Disagreement[] = [];
  const undecided: string[] = [];
  const onlyThere: string[] = [];
  let agree = 0;
  for (const old of there) {
    const device = find(old);
    if (device === undefined) {
      onlyThere.push(old.name);
      continue;
    }
    left.delete(device);
    const verdict = device.Enabled ? device.Status : 'Unknown';
    if (verdict === old.verdict) agree += 1;
    else if (verdict === 'Unknown' || old.verdict === 'Unknown')
      undecided.push(`${old.name} (there ${old.verdict}, here ${device.Enabled ? verdict : 'paused'})`);
    else disagree.push(disagreement(old, device));
  }
  return {
    Agree: agree,
    Disagree: disagree.toSorted((a, b) => (a.Since ?? '').localeCompare(b.Since ?? '')),
    Undecided: undecided,
    OnlyThere: onlyThere,
    OnlyHere: [...left].map((device) => device.FullName ?? device.ShortName),
  };
}

function disagreement(old: OldStatus, device: DeviceStatus): Disagreement {
  const hereMs = Date.parse(device.StatusSince);
  return {
    Device: device.FullName ?? device.ShortName,
    device_id: device.device_id,
    Since:
      old.sinceMs === undefined || Number.isNaN(hereMs)
        ? null
        : new Date(Math.max(old.sinceMs, hereMs)).toISOString(),
    There: old.verdict,
    ThereBecause: old.why,
    Here: device.Status,
    HereBecause: device.LastCheckResult ?? '',
  };
}

function index(
  devices: readonly DeviceStatus[],
  texts: (device: DeviceStatus) => readonly (string | null)[],
): ReadonlyMap<string, readonly DeviceStatus[]> {
  const found = new Map<string, DeviceStatus[]>();
  for (const device of devices)
    for (const text of new Set(
      texts(device).flatMap((each) => (each === null || each === '' ? [] : [asRead(each)])),
    ))
      found.set(text, [...(found.get(text) ?? []), device]);
  return found;
}

/** The comparison for people. */
export function comparisonText(comparison: Comparison): string {
  const { Agree, Disagree, Undecided, OnlyThere, OnlyHere } = comparison;
  const section = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : ['', `${title} (${names.length}):`, ...names.map((name) => `  ${name}`)];
  return [
    `${Agree} agree, ${Disagree.length} disagree, ${Undecided.length} undecided, ${OnlyThere.length} only there, ${OnlyHere.length} only here.`,
    ...section(
      'Disagree',
      Disagree.map(
        (one) =>
          `${one.Device}: there ${one.There}${reason(one.ThereBecause)}, here ${one.Here}${reason(one.HereBecause)}, since ${one.Since ?? 'a time that is not told'}`,
      ),
    ),
    ...section('Undecided', Undecided),
    ...section('Only there', OnlyThere),
    ...section('Only here', OnlyHere),
  ].join('\n');
}

function reason(text: string): string {
  return text === '' ? '' : ` (${text})`;
}
