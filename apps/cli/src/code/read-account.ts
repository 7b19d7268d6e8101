import type { Json } from '@vantage/domain';
import { Fault } from '@vantage/kernel';
import { textOf } from '../json-values.ts';
import { type ApiConnection, take } from '../remote/api-connection.ts';
import type { AccountState } from './account-state.ts';
import {
  type AccountResource,
  kinds,
  type ManagedKind,
  nameOf,
  type ResourceSettings,
  writeOnly,
} from './managed-kinds.ts';

const pageSize = 1_000;
const maxPages = 1_000;
const maxRows = 1_000_000;

/** Reads all resources that files manage, and the account's defaults. */
export async function readAccount(connection: ApiConnection): Promise<AccountState> {
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
  const locationIds = new Map(
    locations.map((location) => [textOf(location['Name']), textOf(location['location_id'])]),
  );
  const idOf = (name: string) => locationIds.get(name) ?? name;
  const resources = [
    ...tags.map((row) => resourceOf('tag', row)),
    ...contacts.map((row) => resourceOf('contact', row)),
    ...nschedules.map((row) => resourceOf('nschedule', row)),
    ...mschedules.map((row) => resourceOf('mschedule', row)),
    ...locations.map((row) => resourceOf('location', row)),
    ...devices.map((row) => deviceOf(row, idOf)),
  ];
  return {
    resources,
    timezone: account.Timezone,
    defaultLocationIds: (account.DefaultLocations ?? ['local']).map(idOf),
  };
}

type ResourceRow = Readonly<Record<string, Json>>;

/** The error code for a key that may not read this. */
const accessDenied = 1002;

/** None where the key is limited to tags, because contacts belong to the whole account. */
async function readContacts({ client }: ApiConnection): Promise<readonly ResourceRow[]> {
  const answer = await client.GET('/contacts', {});
  return answer.error?.code === accessDenied ? [] : rowsOf('contact', await take(Promise.resolve(answer)));
}

/** A list that is complete without Limit. */
async function readList(
  { client }: ApiConnection,
  kind: Exclude<ManagedKind, 'contact' | 'device'>,
): Promise<readonly ResourceRow[]> {
  return rowsOf(kind, await take(client.GET(`/${kinds[kind].section as 'tags'}`, {})));
}

function rowsOf(kind: ManagedKind, rows: unknown): readonly ResourceRow[] {
  if (!Array.isArray(rows) || rows.length > maxRows)
    throw new Fault('stop', 'refused', `the list of ${kinds[kind].section} is not a list`);
  return rows as readonly ResourceRow[];
}

async function readDeviceRows({ client }: ApiConnection): Promise<readonly ResourceRow[]> {
  const rows: ResourceRow[] = [];
  let After: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const query = { Limit: pageSize, With: ['Settings' as const], ...(After === undefined ? {} : { After }) };
    const page = await take(client.GET('/states', { params: { query } }));
    for (const { device_id, Settings } of page) rows.push({ device_id, ...(Settings as ResourceRow) });
    After = page.at(-1)?.device_id;
    if (page.length < pageSize || After === undefined) return rows;
  }
  throw new Fault('stop', 'refused', `the account has more than ${pageSize * maxPages} devices`);
}

function resourceOf(kind: ManagedKind, row: ResourceRow): AccountResource {
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

function deviceOf(row: ResourceRow, locationId: (name: string) => string): AccountResource {
  const resource = resourceOf('device', row);
  const { Tags, Locations, Options } = resource.settings;
  const settings: ResourceSettings = {
    ...resource.settings,
    Tags: Array.isArray(Tags) ? Tags.map((tag: Json) => tagId(tag)) : [],
    Locations: Array.isArray(Locations) ? Locations.map((name: Json) => locationId(textOf(name))) : null,
    Options: Options ?? {},
  };
  return { ...resource, settings };
}

function tagId(tag: Json): Json {
  return typeof tag === 'object' && tag !== null && 'tag_id' in tag ? textOf(tag.tag_id) : tag;
}

function textOrNull(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
