import { type DeviceStatus, deviceStatuses, methods, severities } from '@vantage/domain';
import { boundedText, isId, sentFault } from '@vantage/kernel';
import { flagQuery } from '@vantage/rest-kit/field';
import { someOf } from '@vantage/rest-kit/members';
import { locationQuery, readLocationNos, readTagNos, tagQuery } from '@vantage/rest-kit/named';
import { afterQuery, readCursor } from '@vantage/rest-kit/paging';
import { invalid, missing, type NamedThing } from '@vantage/rest-kit/problem';
import type { Db } from '@vantage/storage';
import { z } from 'zod';
import { identityQuery } from '../../resources/external-key.ts';
import { findTag } from '../tags/tag-store.ts';
import { findDeviceCursor } from './device-cursor.ts';
import {
  byCreation,
  type DeviceFilter,
  type DeviceListRequest,
  type DeviceSort,
  sortFields,
} from './device-list-request.ts';
import { findMschedule, findNschedule } from './referenced-schedules.ts';

const exampleId = '8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d';
const sorts = sortFields.flatMap((field) => [field, `-${field}`] as const);

const chosenBy = (what: string) =>
  boundedText(100, 1).optional().describe(`Id of a ${what}.`).meta({ example: exampleId });

/** The query parameters of a list of devices. */
export const deviceListQuery = z.object({
  Filter: boundedText(100)
    .default('All')
    .describe(
      'All, Ok or Up (the same), Down, Maint, Unknown, several of these joined by commas, or a tag_id. Status and Tag say the same.',
    ),
  Status: someOf(deviceStatuses, 'Devices with one of these statuses only.'),
  Search: boundedText(200, 1)
    .optional()
    .describe('A part of ShortName, FullName or URL, in any letter case. The answer has no X-Total-Count.'),
  Tag: tagQuery('their devices only'),
  Method: someOf(methods, 'Devices of this Method only.'),
  Location: locationQuery('the devices that are checked from there only'),
  ...identityQuery,
  Enabled: flagQuery('false: paused devices only; true: all others.'),
  Severity: someOf(severities, 'Devices with one of these severities only.'),
  Retrying: flagQuery('true: devices in a retry sequence only; false: all others.'),
  device_master_id: chosenBy('device: those behind it only'),
  nschedule_id: chosenBy('notification schedule: the devices that use it only'),
  mschedule_id: chosenBy('maintenance schedule: the devices that use it only'),
  Sort: z
    .enum(sorts)
    .optional()
    .describe('The order: a field, descending with - before it. Default: the order of creation.'),
  ...afterQuery('device_id'),
});

/**
 * Reads the query of a list of devices. Throws a Problem: 1003 for a tag, Location or device that the account does not
 * have, 1004 for parameters that exclude each other.
 */
export async function readDeviceList(
  db: Db,
  accountNo: number,
  query: z.output<typeof deviceListQuery>,
): Promise<Omit<DeviceListRequest, 'nowUs'>> {
  const { limit, offset, cursor } = readCursor(query, 'device_id');
  const sort = readSort(query.Sort);
  if (cursor !== undefined && !isByCreation(sort))
    throw invalid([
      {
        field: 'After',
        message: `follows the order of creation and must not be sent together with Sort=${query.Sort}; page with Offset, or leave Sort out`,
      },
    ]);
  const { statuses, tagNos = [] } = await readStatusOrTag(db, accountNo, query.Filter);
  const found = await readFilter(db, accountNo, query);
  const filter = {
    ...found,
    statuses: both(statuses, query.Status),
    tagNos: [...tagNos, ...(found.tagNos ?? [])],
  };
  const afterNo = cursor === undefined ? undefined : await readAfter(db, accountNo, cursor);
  return { accountNo, filter, sort, afterNo, limit, offset };
}

/** The statuses of both lists; undefined limits nothing. Pure. */
function both(
  some: readonly DeviceStatus[] | undefined,
  others: readonly DeviceStatus[] | undefined,
): readonly DeviceStatus[] | undefined {
  return some === undefined || others === undefined
    ? (some ?? others)
    : some.filter((one) => others.includes(one));
}

/** Does the next page begin after the id of the last row? Else it begins after a number of rows. */
export function isPagedById({ sort, offset }: Pick<DeviceListRequest, 'sort' | 'offset'>): boolean {
  return isByCreation(sort) && offset === 0;
}

function isByCreation({ field, descending }: DeviceSort): boolean {
  return field === 'CreatedAt' && !descending;
}

function readSort(text: string | undefined): DeviceSort {
  const descending = text?.startsWith('-') ?? false;
  const field = sortFields.find((each) => text === (descending ? `-${each}` : each));
  return field === undefined ? byCreation : { field, descending };
}

/** The filters of a list of devices. */
type FilterQuery = Partial<
  Omit<z.output<typeof deviceListQuery>, 'Filter' | 'Sort' | 'Limit' | 'Offset' | 'After'>
>;

/** The conditions of a filter. Throws a Problem (1003) for a tag, Location or device that the account does not have. */
export async function readFilter(db: Db, accountNo: number, query: FilterQuery): Promise<DeviceFilter> {
  const { Search: search, Method: chosen, ExternalKey: externalKey, Source: source } = query;
  const { Tag, Location, Enabled: enabled } = query;
  const tags = Tag === undefined ? [] : [await readTagNos(db, accountNo, Tag)];
  const locationNos =
    Location === undefined ? undefined : await readLocationNos(db, accountNo, Location, { deleted: false });
  const common = { tagNos: tags, search, methods: chosen, locationNos, externalKey, source, enabled };
  return {
    ...common,
    severities: query.Severity,
    retrying: query.Retrying,
    ...(await readUsed(db, accountNo, query)),
  };
}

/** The objects that devices of the list use, by the ids that were sent. */
async function readUsed(
  { kysely }: Db,
  accountNo: number,
  query: FilterQuery,
): Promise<Pick<DeviceFilter, 'masterNo' | 'nscheduleNo' | 'mscheduleNo'>> {
  const { device_master_id: master, nschedule_id: nschedule, mschedule_id: mschedule } = query;
  const look = async (
    id: string | undefined,
    what: NamedThing,
    find: (id: string) => Promise<number | undefined>,
  ) => {
    const no = id === undefined ? undefined : await find(id);
    if (id !== undefined && no === undefined) throw missing(what);
    return no;
  };
  return {
    masterNo: await look(master, 'device', (id) => findDeviceCursor({ kysely }, accountNo, id)),
    nscheduleNo: await look(nschedule, 'notification schedule', (id) => findNschedule(kysely, accountNo, id)),
    mscheduleNo: await look(mschedule, 'maintenance schedule', (id) => findMschedule(kysely, accountNo, id)),
  };
}

async function readStatusOrTag(
  db: Db,
  accountNo: number,
  text: string,
): Promise<Pick<DeviceFilter, 'statuses' | 'tagNos'>> {
  const members = text.split(',');
  const statuses = members.flatMap((member) => filterStatuses.get(member) ?? []);
  if (statuses.length === members.length)
    return members.includes('All') ? {} : { statuses: [...new Set(statuses.filter((one) => one !== 'All'))] };
  if (members.length > 1 || !isId(text))
    throw invalid([
      sentFault(
        'Filter',
        'All, Ok, Up, Down, Maint, Unknown, several of these joined by commas, or a tag_id',
        text,
      ),
    ]);
  const found = await findTag(db, accountNo, text);
  if (found === undefined) throw missing('tag');
  return { tagNos: [[found.tagNo]] };
}

/** The statuses that Filter may name. */
const filterStatuses: ReadonlyMap<string, DeviceStatus | 'All'> = new Map([
  ['All', 'All'],
  ['Ok', 'Up'],
  ['Up', 'Up'],
  ['Down', 'Down'],
  ['Maint', 'Maint'],
  ['Unknown', 'Unknown'],
]);

async function readAfter(db: Db, accountNo: number, cursor: string): Promise<number> {
  const found = await findDeviceCursor(db, accountNo, cursor);
  if (found === undefined) throw missing('device');
  return found;
}
