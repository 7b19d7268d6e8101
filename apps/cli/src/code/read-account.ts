import type { Json } from '@vantage/domain';
import { Fault } from '@vantage/kernel';
import { textOf } from '../json-text.ts';
import { type Connection, take } from '../remote/connection.ts';
import { type Kind, kinds, nameOf, type Settings, type Thing, writeOnly } from './kinds.ts';
import type { Account } from './resolve.ts';

const pageSize = 1_000;
const mostPages = 1_000;
const mostRows = 10_000;

/** Reads everything that a file can hold, and what holds where a thing names nothing. */
export async function readAccount(connection: Connection): Promise<Account> {
  const { client } = connection;
  const [account, tags, contacts, nschedules, mschedules, locations, devices] = await Promise.all([
    take(client.GET('/account')),
    readList(connection, 'tag'),
    readContacts(connection),
    readList(connection, 'nschedule'),
    readList(connection, 'mschedule'),
    readList(connection, 'location'),
    readDeviceRows(connection),
  ]);
  const idOfLocation = new Map(
    locations.flatMap((each) => [[textOf(each['Name']), textOf(each['location_id'])]]),
  );
  const idOf = (text: string) => idOfLocation.get(text) ?? text;
  const things = [
    ...tags.map((row) => thingOf('tag', row)),
    ...contacts.map((row) => thingOf('contact', row)),
    ...nschedules.map((row) => thingOf('nschedule', row)),
    ...mschedules.map((row) => thingOf('mschedule', row)),
    ...locations.map((row) => thingOf('location', row)),
    ...devices.map((row) => deviceOf(row, idOf)),
  ];
  return {
    things,
    timezone: account.Timezone,
    defaultLocationIds: (account.DefaultLocations ?? ['local']).map(idOf),
  };
}

type Row = Readonly<Record<string, Json>>;

/** The code of a refusal: the key may not read this. */
const denied = 1002;

/** The contacts; none where the key is limited to tags, because contacts belong to the whole account. */
async function readContacts({ client }: Connection): Promise<readonly Row[]> {
  const answer = await client.GET('/contacts', {});
  return answer.error?.code === denied ? [] : rowsOf('contact', await take(Promise.resolve(answer)));
}

/** A list that comes whole where no Limit is given. */
async function readList(
  { client }: Connection,
  kind: Exclude<Kind, 'contact' | 'device'>,
): Promise<readonly Row[]> {
  return rowsOf(kind, await take(client.GET(`/${kinds[kind].section as 'tags'}`, {})));
}

function rowsOf(kind: Kind, rows: unknown): readonly Row[] {
  if (!Array.isArray(rows) || rows.length > 100 * mostRows)
    throw new Fault('stop', 'refused', `the list of ${kinds[kind].section} is no list`);
  return rows as readonly Row[];
}

async function readDeviceRows({ client }: Connection): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let After: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const query = { Limit: pageSize, With: ['Settings' as const], ...(After === undefined ? {} : { After }) };
    const page = await take(client.GET('/states', { params: { query } }));
    for (const { device_id, Settings } of page) rows.push({ device_id, ...(Settings as Row) });
    After = page.at(-1)?.device_id;
    if (page.length < pageSize || After === undefined) return rows;
  }
  throw new Fault('stop', 'refused', `the account has more than ${pageSize * mostPages} devices`);
}

function thingOf(kind: Kind, row: Row): Thing {
  const { id, fields } = kinds[kind];
  const settings = Object.fromEntries(
    Object.entries(fields).flatMap(([field, byDefault]) =>
      byDefault === writeOnly ? [] : [[field, row[field] ?? null]],
    ),
  );
  const key = textOrNull(row['ExternalKey']);
  return {
    kind,
    id: textOf(row[id]),
    key,
    source: textOrNull(row['Source']),
    name: nameOf(settings, key),
    settings,
  };
}

function deviceOf(row: Row, locationId: (name: string) => string): Thing {
  const thing = thingOf('device', row);
  const { Tags, Locations, Options } = thing.settings;
  const settings: Settings = {
    ...thing.settings,
    Tags: Array.isArray(Tags) ? Tags.map((tag: Json) => tagId(tag)) : [],
    Locations: Array.isArray(Locations) ? Locations.map((name: Json) => locationId(textOf(name))) : null,
    Options: Options ?? {},
  };
  return { ...thing, settings };
}

function tagId(tag: Json): Json {
  return typeof tag === 'object' && tag !== null && 'tag_id' in tag ? textOf(tag.tag_id) : tag;
}

function textOrNull(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
