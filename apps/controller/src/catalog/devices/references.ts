import { cleanLine } from '@vantage/domain';
import { type FieldFault, isPrivateHost } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import { locationLoad } from '../../platform/db/location-load.ts';
import { namedId, referenceFault, tagFault } from '../external-key.ts';
import type { SentSettings } from './fields.ts';
import type { DeviceRow, LocationRow, TagRow } from './store.ts';

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

/** Are these the same tags, in any order? */
export function sameTags(a: readonly TagRow[], b: readonly TagRow[]): boolean {
  return a.length === b.length && b.every(({ tag_no }) => a.some((each) => each.tag_no === tag_no));
}

/** Are these the same Locations in the same order? */
export function sameLocations(a: readonly LocationRow[], b: readonly LocationRow[]): boolean {
  return a.length === b.length && a.every((row, at) => row.location_no === b[at]?.location_no);
}

const locationColumns = ['location_no', 'location_id', 'name', 'public_targets_only'] as const;

/** The account's Locations with these ids or names. None of them is deleted until the transaction ends. */
export async function findLocations(
  db: Kysely<Tables>,
  accountNo: number,
  texts: readonly string[],
): Promise<readonly LocationRow[]> {
  if (texts.length === 0) return [];
  return db
    .selectFrom('locations')
    .select(locationColumns)
    .where('account_no', '=', accountNo)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('location_id', 'in', texts), where('name', 'in', texts)]))
    .forKeyShare()
    .execute();
}

/** The account's tags with these ids or names. */
export async function findTags(
  db: Kysely<Tables>,
  accountNo: number,
  texts: readonly string[],
): Promise<readonly TagRow[]> {
  if (texts.length === 0) return [];
  return db
    .selectFrom('tags')
    .select(['tag_no', 'tag_id', 'name'])
    .where('account_no', '=', accountNo)
    .where((where) => where.or([where('tag_id', 'in', texts), where('name', 'in', texts)]))
    .orderBy('tag_no')
    .execute();
}

/** The Locations of devices that name none: the account's choice, at first the one named `local`. */
export async function defaultLocations(
  db: Kysely<Tables>,
  accountNo: number,
): Promise<readonly LocationRow[]> {
  const { rows } = await sql<LocationRow>`
    select l.location_no, l.location_id, l.name, l.public_targets_only
    from locations l join accounts a on a.account_no = l.account_no
    where l.account_no = ${accountNo} and l.deleted_at is null
      and case when a.default_location_ids is null then l.name = 'local' else l.location_id = any(a.default_location_ids) end
    order by array_position(a.default_location_ids, l.location_id)
    for key share of l`.execute(db);
  return rows;
}

/** The number of the account's notification schedule with this id. */
export async function findNschedule(
  db: Kysely<Tables>,
  accountNo: number,
  id: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('nschedules')
    .select('nschedule_no')
    .where('nschedule_id', '=', id)
    .where('account_no', '=', accountNo)
    .executeTakeFirst();
  return row?.nschedule_no;
}

/**
 * The number of the notification schedule that was sent for the account or a Location: undefined keeps the `stored`
 * one, null clears it. The caller holds the account's lock.
 */
export async function readNschedule(
  db: Kysely<Tables>,
  accountNo: number,
  { sent, stored }: { readonly sent: string | null | undefined; readonly stored: number | null },
): Promise<{ readonly no: number | null; readonly faults: readonly FieldFault[] }> {
  if (sent === undefined) return { no: stored, faults: [] };
  if (sent === null) return { no: null, faults: [] };
  const id = await namedId(db, 'nschedule', accountNo, sent);
  const no = id === undefined ? undefined : await findNschedule(db, accountNo, id);
  if (no !== undefined) return { no, faults: [] };
  const must = 'the id of a notification schedule of this account, or null';
  return { no: null, faults: [referenceFault('nschedule_id', 'notification schedule', must, sent)] };
}

/** The id of the notification schedule with this number. */
export async function nscheduleIdOf(db: Kysely<Tables>, no: number | null): Promise<string | null> {
  if (no === null) return null;
  const found = await db
    .selectFrom('nschedules')
    .select('nschedule_id')
    .where('nschedule_no', '=', no)
    .executeTakeFirst();
  return found?.nschedule_id ?? null;
}

/** The number of the account's maintenance schedule with this id. */
export async function findMschedule(
  db: Kysely<Tables>,
  accountNo: number,
  id: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('mschedules')
    .select('mschedule_no')
    .where('mschedule_id', '=', id)
    .where('account_no', '=', accountNo)
    .executeTakeFirst();
  return row?.mschedule_no;
}

/**
 * Is `deviceNo` among the masters of `masterNo`, or the same device? Masters count that a limited caller does not see.
 */
export async function createsCycle(
  trx: Kysely<Tables>,
  deviceNo: number,
  masterNo: number,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select ${deviceNo}::int in (select device_no from masters_of(${masterNo}::int)) as found`.execute(trx);
  return rows[0]?.found ?? false;
}

/** Names of the Locations of which more is asked than they can do, `addPerMinute` at each on top. Pure. */
export function overloadedNames(
  loads: readonly LocationLoad[],
  addPerMinute: (locationNo: number) => number,
): readonly string[] {
  return loads
    .filter(({ location_no, asked, possible }) => asked + addPerMinute(location_no) > possible)
    .map(({ name }) => name);
}

/** Checks a minute that the devices of a Location ask for, and that its connected agents can run. */
interface LocationLoad {
  readonly location_no: number;
  readonly name: string;
  readonly asked: number;
  readonly possible: number;
}

/** The load of these Locations; those without a connected agent are left out. */
export async function loadsOf(
  db: Kysely<Tables>,
  locationNos: readonly number[],
): Promise<readonly LocationLoad[]> {
  if (locationNos.length === 0) return [];
  // A parameter for each number: PostgreSQL keeps the plan then. For an array it plans this query anew each time, which
  // costs more than the query.
  const { rows } = await sql<LocationLoad>`
    select l.location_no, l.name, asked.per_minute as asked, have.per_minute::float8 as possible from locations l
    cross join lateral (
      select coalesce(sum(capacity), 0) as per_minute, count(*) as agents from agents a
      where a.location_no = l.location_no and a.state = 'Connected') have
    cross join lateral (${locationLoad}) asked
    where l.location_no in (${sql.join(locationNos)}) and have.agents > 0
    order by l.location_no`.execute(db);
  return rows;
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

/** Which of these names the account has no secret of. */
export async function unknownSecrets(
  kysely: Kysely<Tables>,
  accountNo: number,
  names: readonly string[],
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const rows = await kysely
    .selectFrom('secrets')
    .select('name')
    .where('account_no', '=', accountNo)
    .where('name', 'in', names)
    .execute();
  return names.filter((name) => !rows.some((row) => row.name === name));
}

/** The number of the device of this account with this id, and when it was created. */
export async function findDeviceNo(
  db: Kysely<Tables>,
  accountNo: number,
  deviceId: string,
): Promise<{ readonly device_no: number; readonly created_us: number } | undefined> {
  const { rows } = await sql<{ device_no: number; created_us: number }>`
    select device_no, created_us from devices where device_id = ${deviceId} and account_no = ${accountNo}`.execute(
    db,
  );
  return rows[0];
}

/** Checks a minute that a device asks of each of its Locations. Pure. */
export function perMinuteAtEach(
  { frequency_min, frequency_s }: { readonly frequency_min: number; readonly frequency_s: number | null },
  locations: number,
): number {
  return 60 / (frequency_s ?? frequency_min * 60) / Math.max(1, locations);
}
