import { isDeepStrictEqual } from 'node:util';
import { type FieldFault, isPrivateHost, sentFault } from '@vantage/kernel';
import { probeFor } from '@vantage/probes';
import { syntaxProblem } from '@vantage/probes/settings';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import { referencesOf } from '../../platform/secrets/sealed-device.ts';
import { lockAccount } from '../change.ts';
import { findByExternalKey, keyTaken } from '../external-key.ts';
import { differences, type RowOf, resolve, type SentOf } from '../field-table.ts';
import type { Conflict, Invalid } from '../refusal.ts';
import {
  type ChangeReach,
  deviceTable,
  type SentSettings,
  type secondsChoices,
  sharedTable,
  shownRetries,
} from './fields.ts';
import {
  createsCycle,
  loadsOf,
  overloadedNames,
  perMinuteAtEach,
  privateAddressErrors,
  type References,
  resolveReferences,
  sameTags,
  unknownSecrets,
} from './references.ts';
import type { DeviceRow, LocationRow } from './store.ts';
import { type ClearTarget, type ResolvedTarget, resolveTarget } from './target.ts';

/** The plain settings of a device, as the database stores them. */
export type PlainSettings = RowOf<typeof deviceTable>;

/** Everything of a device that its owner sets. */
export interface DeviceSettings {
  readonly plain: PlainSettings;
  readonly target: ResolvedTarget;
  readonly references: References;
  readonly warnings: readonly string[];
}

/**
 * Joins the sent settings with the current ones and with the things of the account to which they refer. Every fault is
 * named: those in `sent.faults`, then those that are found here.
 */
export async function resolveDevice(
  trx: Kysely<Tables>,
  device: {
    readonly accountNo: number;
    readonly method: string;
    readonly sent: { readonly values: SentSettings; readonly faults: readonly FieldFault[] };
    /** undefined: the device is new. */
    readonly current: { readonly row: DeviceRow; readonly clear: ClearTarget } | undefined;
    /** Checks a minute that new devices add to a Location which are not written yet. */
    readonly waitingLoad?: (locationNo: number) => number;
  },
): Promise<{ readonly kind: 'resolved'; readonly settings: DeviceSettings } | Invalid | Conflict> {
  const { accountNo, method, sent, current, waitingLoad = () => 0 } = device;
  const { plain, faults: contradictions } = resolveSettings(sent.values, current?.row);
  const faults = [...sent.faults, ...contradictions];
  const resolution = resolveTarget(method, sent.values, current?.clear);
  if (!resolution.ok) faults.push(...resolution.faults);
  const found = await resolveReferences(trx, accountNo, sent.values, current?.row);
  faults.push(...found.faults);
  if (resolution.ok) {
    faults.push(...privateAddressErrors(resolution.target.host, found.references.locations));
    faults.push(...(await referenceFaults(trx, accountNo, method, resolution.target.clear)));
    faults.push(...(await programFaults(method, resolution.target.clear.url, current?.clear.url)));
  }
  if (!resolution.ok || faults.length > 0) return { kind: 'invalid', faults: unique(faults) };
  const { references } = found;
  if (current !== undefined && references.masterNo !== null) {
    if (await createsCycle(trx, current.row.device_no, references.masterNo))
      return {
        kind: 'invalid',
        faults: [{ field: 'device_master_id', message: 'would close a cycle of masters' }],
      };
  }
  const key = sent.values.ExternalKey;
  const holder = typeof key === 'string' ? await findByExternalKey(trx, 'device', accountNo, key) : undefined;
  if (typeof key === 'string' && holder !== undefined && holder.no !== current?.row.device_no)
    return keyTaken(key, `the device ${holder.id}`);
  const locationNos = references.locations.map(({ location_no }) => location_no);
  const added = current === undefined ? perMinuteAtEach(plain, locationNos.length) : 0;
  const loads = await loadsOf(trx, locationNos);
  const busy = overloadedNames(loads, (locationNo) => added + waitingLoad(locationNo));
  const warnings = warningsOf(resolution.target.host, references.locations, busy);
  return { kind: 'resolved', settings: { plain, target: resolution.target, references, warnings } };
}

/** Names references to secrets that the account does not have. */
async function referenceFaults(
  trx: Kysely<Tables>,
  accountNo: number,
  method: string,
  target: ClearTarget,
): Promise<readonly FieldFault[]> {
  const { url, options } = referencesOf(method, target);
  const names = [...new Set([...url, ...options])];
  // A secret is deleted under the same lock, so that none is deleted between this query and the commit of the device.
  if (names.length > 0) await lockAccount(trx, accountNo);
  const unknown = await unknownSecrets(trx, accountNo, names);
  return unknown.map((name) => ({
    field: url.has(name) ? 'URL' : 'Options',
    message: `refers to the secret ${name}, which does not exist`,
    reason: 'no_such_secret',
  }));
}

/** Names a syntax error of a new program; a stored one stays, so that a device with it can still be renamed. */
async function programFaults(
  method: string,
  url: string,
  storedUrl: string | undefined,
): Promise<readonly FieldFault[]> {
  const probe = probeFor(method);
  const message = probe === undefined || url === storedUrl ? undefined : await syntaxProblem(probe, url);
  return message === undefined ? [] : [{ field: 'URL', message }];
}

/** The faults without repetitions. */
export function unique(faults: readonly FieldFault[]): readonly FieldFault[] {
  return [...new Map(faults.map((fault) => [`${fault.field}\0${fault.message}`, fault])).values()];
}

/**
 * Lays the sent settings over the current ones: an absent one stays, null sets the default. Names settings that
 * contradict each other.
 */
function resolveSettings(
  sent: SentSettings,
  current: PlainSettings | undefined,
): { readonly plain: PlainSettings; readonly faults: readonly FieldFault[] } {
  const { rhythm, faults } = resolveRhythm(sent, current ?? newDevice);
  return { plain: { ...resolve(deviceTable, sent, current), ...rhythm }, faults };
}

/** The plain settings of a new device whose client sends none. */
const newDevice = resolve(deviceTable, {}, undefined);

/**
 * The interval that was asked for by its two names, Frequency (minutes) and FrequencySeconds. Of both, the one that
 * differs from what is shown counts; undefined: both differ and contradict each other. `minutes: null` sets
 * `byDefault`, `seconds: null` lets Frequency count. Pure.
 */
export function chooseInterval(
  shown: Interval,
  {
    minutes,
    seconds,
  }: { readonly minutes?: number | null | undefined; readonly seconds?: Seconds | null | undefined },
  byDefault: number,
): Interval | undefined {
  const wanted = minutes === null ? byDefault : minutes;
  const otherMinutes = wanted !== undefined && wanted !== shown.frequency_min;
  if (seconds !== undefined && seconds !== null && seconds !== shown.frequency_s)
    return otherMinutes && wanted !== 1 ? undefined : { frequency_min: 1, frequency_s: seconds };
  if (otherMinutes || seconds === null)
    return { frequency_min: wanted ?? shown.frequency_min, frequency_s: null };
  return shown;
}

/** How often a device is checked, as the database stores it; `frequency_min` is 1 where `frequency_s` counts. */
interface Interval {
  readonly frequency_min: number;
  readonly frequency_s: number | null;
}

/** The interval, and the retries after the first failing check. */
type Rhythm = Interval & { readonly retries: number };

type Seconds = (typeof secondsChoices)[number];

/**
 * The retries after the first failing check, by their two names, Retries (2 to 10) and Attempts (failing checks until
 * Down). Of both, the one that differs from what is shown counts; undefined: both differ and contradict each other.
 * `sent.retries: null` sets `byDefault`; `attempts: null` is Retries + 1. Pure.
 */
export function chooseRetries(
  stored: number,
  sent: { readonly retries?: number | null | undefined; readonly attempts?: number | null | undefined },
  byDefault: number,
): number | undefined {
  const wanted = sent.retries === null ? byDefault : sent.retries;
  const otherRetries = wanted !== undefined && wanted !== shownRetries(stored);
  const { attempts } = sent;
  if (attempts !== undefined && attempts !== null && attempts !== stored + 1)
    return otherRetries && wanted !== shownRetries(attempts - 1) ? undefined : attempts - 1;
  if (otherRetries || attempts === null) return wanted ?? shownRetries(stored);
  return stored;
}

/**
 * How often a device is checked, and how many checks must fail, laid over the current ones; a fault for each pair that
 * contradicts itself.
 */
export function resolveRhythm(
  sent: SentOf<Pick<typeof deviceTable, 'Frequency' | 'FrequencySeconds' | 'Retries' | 'Attempts'>>,
  current: Rhythm,
): { readonly rhythm: Rhythm; readonly faults: readonly FieldFault[] } {
  const { Frequency, FrequencySeconds, Retries, Attempts } = sent;
  const interval = chooseInterval(
    current,
    { minutes: Frequency, seconds: FrequencySeconds },
    deviceTable.Frequency.byDefault,
  );
  const retries = chooseRetries(
    current.retries,
    { retries: Retries, attempts: Attempts },
    deviceTable.Retries.byDefault,
  );
  const faults = [
    ...(interval === undefined
      ? [sentFault('FrequencySeconds', 'sent without Frequency, or with Frequency 1', FrequencySeconds)]
      : []),
    ...(retries === undefined
      ? [{ field: 'Attempts', message: 'must be Retries + 1 when both are sent' }]
      : []),
  ];
  const { frequency_min, frequency_s } = interval ?? current;
  return { rhythm: { frequency_min, frequency_s, retries: retries ?? current.retries }, faults };
}

/**
 * The warnings of a device as it is now: its Locations may have changed with the account's defaults since it was
 * written.
 */
export function currentWarnings({
  warnings,
  locations,
}: Pick<DeviceRow, 'warnings' | 'locations'>): readonly string[] {
  const others = warnings.filter((text) => text !== unobserved);
  return locations.length === 0 ? [unobserved, ...others] : others;
}

const unobserved = 'The device has no Location, so it is never checked.';

/** The warnings about accepted settings, for the operator. */
export function warningsOf(
  host: string,
  locations: readonly LocationRow[],
  overloadedNames: readonly string[],
): readonly string[] {
  return [
    ...(locations.length === 0 ? [unobserved] : []),
    ...(locations.length > 1 && isPrivateHost(host)
      ? [
          `${host} is a private address: each of the ${locations.length} Locations may see another machine there.`,
        ]
      : []),
    ...overloadedNames.map(
      (name) =>
        `Location ${name} is overloaded: its devices ask for more checks a minute than its agents can run.`,
    ),
  ];
}

const reachesOf = <T extends Readonly<Record<string, { readonly reach: ChangeReach }>>>(table: T) =>
  Object.fromEntries(Object.entries(table).map(([name, { reach }]) => [name, reach])) as {
    readonly [Name in keyof T]: ChangeReach;
  };

const { ExternalKey, Source, ...plain } = reachesOf(deviceTable);

/** How far a change of each setting reaches, in the order in which events and the audit name them. */
const reaches = {
  URL: 'target',
  Options: 'target',
  // Only where the Locations themselves change, and not merely that they were chosen.
  Locations: 'schedule',
  ...reachesOf(sharedTable),
  Tags: 'none',
  ExternalKey,
  Source,
  ...plain,
  nschedule_id: 'none',
  mschedule_id: 'none',
  device_master_id: 'none',
} as const satisfies Readonly<Record<string, ChangeReach>>;

/** A setting by its name in the REST API. */
export type Setting = keyof typeof reaches;

const settings = Object.keys(reaches) as Setting[];

/** Settings that a device shares with others, as the database stores them. */
export interface SharedSettings extends RowOf<typeof sharedTable> {
  readonly nschedule_no: number | null;
  readonly mschedule_no: number | null;
  readonly master_no: number | null;
}

/** Whether each setting of a device changes. */
type Changes = Readonly<Partial<Record<Setting, boolean>>>;

/** Which of the shared settings differ. Pure. */
export function sharedChanges(before: SharedSettings, after: SharedSettings): Changes {
  return { ...differences(sharedTable, before, after), ...referenceChanges(before, after) };
}

type ReferenceNos = Pick<SharedSettings, 'nschedule_no' | 'mschedule_no' | 'master_no'>;

function referenceChanges(before: ReferenceNos, after: ReferenceNos): Changes {
  return {
    nschedule_id: before.nschedule_no !== after.nschedule_no,
    mschedule_id: before.mschedule_no !== after.mschedule_no,
    device_master_id: before.master_no !== after.master_no,
  };
}

/** The settings that change, by the names of the REST API, and the reach of the change. */
export function changesOf(
  row: DeviceRow,
  clear: ClearTarget,
  { plain, target, references }: DeviceSettings,
  newLocations: boolean,
): { readonly fields: readonly Setting[]; readonly reach: ChangeReach } {
  const { nscheduleNo: nschedule_no, mscheduleNo: mschedule_no, masterNo: master_no } = references;
  const changes = {
    ...differences(deviceTable, row, plain),
    ...referenceChanges(row, { nschedule_no, mschedule_no, master_no }),
    URL: clear.url !== target.clear.url,
    Options: !isDeepStrictEqual(clear.options, target.clear.options),
    Locations: newLocations || row.locations_given !== references.locationsGiven,
    Tags: !sameTags(references.tags, row.tags),
  };
  return reachOf(changes, newLocations);
}

/** The settings that change, in the order of `reaches`, and how far the change reaches. Pure. */
export function reachOf(
  changes: Changes,
  newLocations: boolean,
): { readonly fields: readonly Setting[]; readonly reach: ChangeReach } {
  const fields = settings.filter((field) => changes[field] === true);
  const each = fields.filter((field) => field !== 'Locations' || newLocations).map((field) => reaches[field]);
  const order: readonly ChangeReach[] = ['target', 'schedule', 'settings'];
  return { fields, reach: order.find((reach) => each.some((one) => one === reach)) ?? 'none' };
}
