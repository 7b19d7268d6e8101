import { cleanLine } from '@vantage/domain';
import type { FieldFault } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { namedId, referenceFault, tagFault } from '../../resources/external-key.ts';
import type { DeviceRow, LocationRow, TagRow } from './device-store.ts';
import { findDeviceNo } from './find-device-no.ts';
import { defaultLocations, findLocations, sameLocations } from './referenced-locations.ts';
import { findMschedule, findNschedule } from './referenced-schedules.ts';
import { findTags } from './referenced-tags.ts';
import type { SentSettings } from './sent-device.ts';

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

const things = {
  nschedule_id: 'notification schedule',
  mschedule_id: 'maintenance schedule',
  device_master_id: 'device',
} as const;

const kinds = { nschedule_id: 'nschedule', mschedule_id: 'mschedule', device_master_id: 'device' } as const;

/** The settings with ids instead of keys. An unknown key stays, so the fault can repeat it. */
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
    const known = await namedId(db, kinds[field], accountNo, id);
    const found = known === undefined ? undefined : await find(known);
    const must = `the id of a ${things[field]} of this account, or null`;
    if (found === undefined) faults.push(referenceFault(field, things[field], must, id));
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
      faults.push(referenceFault('Locations', 'Location', 'names or ids of Locations of this account', text));
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
    if (named.length !== 1) faults.push(tagFault('Tags', text, named.length));
    return named;
  });
  return [...new Map(chosen.map((row) => [row.tag_no, row])).values()];
}
