import { cleanLine } from '@vantage/domain';
import { type FieldFault, isPrivateHost, sentFault } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import { namedId, referenceFault } from '../external-key.ts';
import { type RowOf, resolve, type SentOf } from '../field-table.ts';
import { deviceTable, type secondsChoices, shownRetries } from './device-table.ts';
import type { SentSettings } from './fields.ts';
import { defaultLocations, findLocations, findMschedule, findNschedule, findTags } from './lookup-store.ts';
import { type DeviceRow, findDeviceNo, type LocationRow, type TagRow } from './store.ts';

/** The plain settings of a device, as the database stores them. */
export type PlainSettings = RowOf<typeof deviceTable>;

/** The plain settings of a new device whose client sends none. */
const newDevice = resolve(deviceTable, {}, undefined);

/**
 * Lays the sent settings over the current ones: an absent one stays, null sets the default. Names settings that
 * contradict each other.
 */
export function resolveSettings(
  sent: SentSettings,
  current: PlainSettings | undefined,
): { readonly plain: PlainSettings; readonly faults: readonly FieldFault[] } {
  const { rhythm, faults } = resolveRhythm(sent, current ?? newDevice);
  return { plain: { ...resolve(deviceTable, sent, current), ...rhythm }, faults };
}

const things = {
  nschedule_id: 'notification schedule',
  mschedule_id: 'maintenance schedule',
  device_master_id: 'device',
} as const;

const kinds = { nschedule_id: 'nschedule', mschedule_id: 'mschedule', device_master_id: 'device' } as const;

/** The settings with the ids of what was named by key. What nothing has stays, for a fault that repeats it. */
export async function withNamedIds(
  db: Kysely<Tables>,
  accountNo: number,
  sent: SentSettings,
): Promise<SentSettings> {
  const ids: { -readonly [Field in keyof typeof things]?: string } = {};
  for (const field of ['nschedule_id', 'mschedule_id', 'device_master_id'] as const) {
    const text = sent[field];
    if (typeof text === 'string') ids[field] = (await namedId(db, kinds[field], accountNo, text)) ?? text;
  }
  return { ...sent, ...ids };
}

/** The things of the account that a device refers to. */
export interface References {
  readonly nscheduleNo: number | null;
  readonly mscheduleNo: number | null;
  readonly masterNo: number | null;
  readonly locations: readonly LocationRow[];
  readonly locationsGiven: boolean;
  /** In no order. */
  readonly tags: readonly TagRow[];
}

/**
 * Looks up the things to which a device refers. A fault names each that does not exist. The caller looks for cycles of
 * masters.
 */
export async function resolveReferences(
  db: Kysely<Tables>,
  accountNo: number,
  sent: SentSettings,
  current: DeviceRow | undefined,
): Promise<{ readonly references: References; readonly faults: readonly FieldFault[] }> {
  const faults: FieldFault[] = [];
  const look = async (
    field: keyof typeof things,
    kept: number | null | undefined,
    find: (id: string) => Promise<number | undefined>,
  ): Promise<number | null> => {
    const id = sent[field];
    if (id === undefined) return kept ?? null;
    if (id === null) return null;
    const own = await namedId(db, kinds[field], accountNo, id);
    const found = own === undefined ? undefined : await find(own);
    if (found === undefined)
      faults.push(referenceFault(field, `the id of a ${things[field]} of this account, or null`, id));
    return found ?? null;
  };
  const nscheduleNo = await look('nschedule_id', current?.nschedule_no, (id) =>
    findNschedule(db, accountNo, id),
  );
  const mscheduleNo = await look('mschedule_id', current?.mschedule_no, (id) =>
    findMschedule(db, accountNo, id),
  );
  const masterNo = await look('device_master_id', current?.master_no, async (id) => {
    const master = await findDeviceNo(db, accountNo, id);
    return master?.device_no;
  });
  if (masterNo !== null && masterNo === current?.device_no)
    faults.push({ field: 'device_master_id', message: 'must not be the device itself' });
  const places = await resolveLocations(db, accountNo, sent.Locations, current, faults);
  const tags = await resolveTags(db, accountNo, sent.Tags, current, faults);
  return { references: { nscheduleNo, mscheduleNo, masterNo, ...places, tags }, faults };
}

async function resolveLocations(
  db: Kysely<Tables>,
  accountNo: number,
  sent: readonly string[] | null | undefined,
  current: DeviceRow | undefined,
  faults: FieldFault[],
): Promise<Pick<References, 'locations' | 'locationsGiven'>> {
  if (sent === undefined && current !== undefined)
    return { locations: current.locations, locationsGiven: current.locations_given };
  if (sent === undefined || sent === null)
    return { locations: await defaultLocations(db, accountNo), locationsGiven: false };
  const known = await findLocations(db, accountNo, sent);
  const chosen = sent.flatMap((text) => {
    const row =
      known.find(({ location_id }) => location_id === text) ??
      known.find(({ name }) => name === text || cleanLine(name) === text);
    if (row === undefined)
      faults.push(sentFault('Locations', 'names or ids of Locations of this account', text));
    return row ?? [];
  });
  const locations = [...new Map(chosen.map((row) => [row.location_no, row])).values()];
  const asBefore =
    current !== undefined && !current.locations_given && sameLocations(locations, current.locations);
  return { locations, locationsGiven: !asBefore };
}

async function resolveTags(
  db: Kysely<Tables>,
  accountNo: number,
  sent: SentSettings['Tags'],
  current: DeviceRow | undefined,
  faults: FieldFault[],
): Promise<readonly TagRow[]> {
  if (sent === undefined) return current?.tags ?? [];
  const texts = (sent ?? []).map((each) => (typeof each === 'string' ? each : each.tag_id));
  const known = await findTags(db, accountNo, texts);
  const chosen = texts.flatMap((text) => {
    const byId = known.find(({ tag_id }) => tag_id === text);
    const named = byId === undefined ? known.filter(({ name }) => name === text) : [byId];
    const fault =
      named.length === 0
        ? 'which is neither the name nor the id of a tag; create the tag first with POST /tags'
        : 'which is the name of several tags; send the tag_id of one of them';
    if (named.length !== 1)
      faults.push({ field: 'Tags', message: `names ${JSON.stringify(text.slice(0, 60))}, ${fault}` });
    return named;
  });
  return [...new Map(chosen.map((row) => [row.tag_no, row])).values()];
}

/** Are these the same tags, in any order? */
export function sameTags(a: readonly TagRow[], b: readonly TagRow[]): boolean {
  return a.length === b.length && b.every(({ tag_no }) => a.some((each) => each.tag_no === tag_no));
}

/** Are these the same Locations in the same order? */
export function sameLocations(a: readonly LocationRow[], b: readonly LocationRow[]): boolean {
  return a.length === b.length && a.every((row, at) => row.location_no === b[at]?.location_no);
}

/** A fault for each Location that checks public targets only, when the target is a private address. */
export function privateAddressErrors(host: string, locations: readonly LocationRow[]): readonly FieldFault[] {
  if (!isPrivateHost(host)) return [];
  return locations
    .filter((row) => row.public_targets_only)
    .map(({ name }) => ({
      field: 'URL',
      message: `is a private address, and the Location ${name} checks public targets only`,
    }));
}

const unobserved = 'The device has no Location, so it is never checked.';

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

/** How often a device is checked, as the database stores it; `frequency_min` is 1 where `frequency_s` counts. */
interface Interval {
  readonly frequency_min: number;
  readonly frequency_s: number | null;
}

/** The interval, and the retries after the first failing check. */
type Rhythm = Interval & { readonly retries: number };

type Seconds = (typeof secondsChoices)[number];

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
      ? [sentFault('Attempts', 'sent without Retries, or one more than them', Attempts)]
      : []),
  ];
  const { frequency_min, frequency_s } = interval ?? current;
  return { rhythm: { frequency_min, frequency_s, retries: retries ?? current.retries }, faults };
}
