import { cleanLine, methods, minuteUs } from '@vantage/domain';
import { type ShownSpan, worstStatuses } from '@vantage/health';
import { boundedText, type Clock } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { idField, timestampField } from '../../rest/http/field.ts';
import { someOf } from '../../rest/http/members.ts';
import { readTagSets, tagQuery } from '../../rest/http/named.ts';
import { cutCursor, pageLimit } from '../../rest/http/paging.ts';
import { invalid } from '../../rest/http/problem.ts';
import { noSubject, type Reply, type Route, route } from '../../rest/http/route.ts';
import type { Zone } from '../../rest/http/zone.ts';
import { deviceEntry, deviceSettings } from '../devices/fields.ts';
import type { DeviceListAsk } from '../devices/list-ask.ts';
import { deviceListQuery, isPagedById, readDeviceList } from '../devices/list-query.ts';
import { listDevices } from '../devices/list-store.ts';
import { type EntryRow, readDevices } from '../devices/store.ts';
import { showEntry, showSettings } from '../devices/to-rest.ts';
import {
  changedSince,
  isTellable,
  parseRevision,
  type Revision,
  readRevision,
  showRevision,
} from './revision.ts';
import { idsOf, lastChecksOf, locationsOf, mastersOf, tagsOf } from './store.ts';

const partUs = 20 * minuteUs;
const dayParts = 72;
const letters = { Up: 'U', Down: 'D', Maint: 'M', Unknown: '?' } as const;

const entry = deviceEntry.shape;
const stateRow = z
  .strictObject({
    device_id: idField,
    ShortName: entry.ShortName.optional(),
    FullName: entry.FullName.optional(),
    Method: z.enum(methods).optional(),
    Status: entry.Status.optional(),
    StatusSince: timestampField.optional(),
    Enabled: entry.Enabled.optional(),
    Retrying: entry.Retrying.optional(),
    Severity: entry.Severity.optional(),
    MaintenanceUntil: entry.MaintenanceUntil.optional(),
    DownBecause: entry.DownBecause.optional(),
    Tags: z.array(z.strictObject({ tag_id: idField, Name: z.string() })).optional(),
    Locations: z.array(z.strictObject({ location_id: idField, Name: z.string() })).optional(),
    LastCheck: z
      .strictObject({
        Timestamp: timestampField,
        RequestTime: z.number().describe('Milliseconds that it took.'),
        ResultCode: z.int(),
      })
      .nullable()
      .optional()
      .describe('Its last check within a day; null: there is none.'),
    Master: z
      .strictObject({ device_id: idField, ShortName: z.string() })
      .nullable()
      .optional()
      .describe('The device that it is behind; null: none.'),
    Day: z
      .string()
      .regex(/^[UDM?]{72}$/)
      .optional()
      .describe(
        'The worst status of each 20 minutes of a day; the last letter is that of now. U is Up, D Down, M Maint, ? Unknown.',
      ),
    Settings: deviceSettings.optional(),
    Gone: z
      .literal(true)
      .optional()
      .describe(
        'With ChangedSince: it was deleted, or is not in the list any more. The row has no other field.',
      ),
  })
  .meta({ id: 'DeviceState' });
type StateRow = z.input<typeof stateRow>;

/** Works out the shown statuses of devices in the order of time, by their numbers. */
export type ReadTimelines = (
  ask: {
    readonly devices: readonly {
      readonly deviceNo: number;
      readonly createdUs: number;
      readonly fromUs: number;
    }[];
    readonly toUs: number;
    readonly nowUs: number;
  },
  onSpans: (deviceNo: number, spans: readonly ShownSpan[]) => void,
) => Promise<void>;

/** The parts that the route needs. */
interface StateRouteDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly timelines: ReadTimelines;
}

/** The states of thousands of devices, and what changed of them since. */
export function stateRoutes(deps: StateRouteDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/states',
      level: 'UR',
      tag: 'Devices',
      summary: 'States of devices for lists of thousands, and what changed since an earlier answer.',
      subject: noSubject,
      query: statesQuery,
      response: z.array(stateRow),
      names: { root: 'states', row: 'state', id: 'device_id' },
      handler: async ({ session: { accountNo, zone }, query }) => {
        const ask = await readStatesAsk(deps.db, accountNo, query);
        const nowUs = deps.clock.nowUs();
        // Before the states: what is committed between comes again.
        const revision = await readRevision(deps.db.kysely, nowUs);
        const page = await (ask.since === undefined
          ? readAll(deps, ask, nowUs, zone)
          : readChanged(deps, { ...ask, since: ask.since }, { revision, nowUs, zone }));
        return { ...page, revision: showRevision(revision) };
      },
    }),
  ];
}

async function readAll(
  deps: StateRouteDeps,
  { list, parts }: StatesAsk,
  nowUs: number,
  zone: Zone,
): Promise<Reply<StateRow[]>> {
  const found = await listDevices(deps.db, { ...list, nowUs });
  const { limit, offset } = list;
  const { rows, next } = cutCursor(found.rows, limit, 'after', ({ device_id }) => device_id);
  return {
    body: await complete(deps, rows, { parts, nowUs, zone }),
    ...(found.total === undefined ? {} : { total: found.total }),
    next: next === undefined || isPagedById(list) ? next : { limit, offset: offset + limit },
  };
}

async function readChanged(
  deps: StateRouteDeps,
  { list, parts, since }: StatesAsk & { readonly since: Revision },
  { revision, nowUs, zone }: { readonly revision: Revision; readonly nowUs: number; readonly zone: Zone },
): Promise<Reply<StateRow[]>> {
  if (!isTellable(since, revision))
    throw invalid([
      {
        field: 'ChangedSince',
        message: 'is older than 50 minutes or of another run of the database; read all without it',
      },
    ]);
  const { kysely } = deps.db;
  const { accountNo, afterNo = 0, limit } = list;
  const changed = (await changedSince(kysely, accountNo, { before: since, nowUs })).filter(
    (no) => no > afterNo,
  );
  const among = changed.slice(0, limit);
  if (among.length === 0) return { body: [] };
  const filter = { ...list.filter, among };
  const { rows } = await listDevices(deps.db, { ...list, filter, afterNo: undefined, nowUs });
  const present = new Set(rows.map(({ device_no }) => device_no));
  const ids = await idsOf(
    kysely,
    accountNo,
    among.filter((no) => !present.has(no) || no === among.at(-1)),
  );
  const gone = among.flatMap((no) => {
    const device_id = present.has(no) ? undefined : ids.get(no);
    return device_id === undefined ? [] : [{ device_id, Gone: true as const }];
  });
  const last = ids.get(among.at(-1) ?? 0);
  return {
    body: [...(await complete(deps, rows, { parts, nowUs, zone })), ...gone],
    next: changed.length > limit && last !== undefined ? { limit, after: last } : undefined,
  };
}

/** The rows with the parts that were asked for. */
async function complete(
  { db: { kysely }, timelines }: StateRouteDeps,
  rows: readonly EntryRow[],
  { parts, nowUs, zone }: { readonly parts: StatesAsk['parts']; readonly nowUs: number; readonly zone: Zone },
): Promise<StateRow[]> {
  const nos = rows.map(({ device_no }) => device_no);
  const fromUs = Math.floor(nowUs / partUs) * partUs - (dayParts - 1) * partUs;
  const devices = rows.map(({ device_no: deviceNo, created_us: createdUs }) => ({
    deviceNo,
    createdUs,
    fromUs,
  }));
  const [tags, locations, masters, checks, days, settings] = await Promise.all([
    parts.has('Tags') ? tagsOf(kysely, nos).then(byDevice) : undefined,
    parts.has('Locations') ? locationsOf(kysely, nos).then(byDevice) : undefined,
    parts.has('Master') ? mastersOf(kysely, nos).then(byDevice) : undefined,
    parts.has('LastCheck') ? lastChecksOf(kysely, nos, nowUs).then(byDevice) : undefined,
    parts.has('Day') ? readDays(timelines, { devices, fromUs, nowUs }) : undefined,
    parts.has('Settings') ? readDevices(kysely, nos, nowUs).then(byDevice) : undefined,
  ]);
  return rows.map((row) => {
    const no = row.device_no;
    const [master] = masters?.get(no) ?? [];
    const [check] = checks?.get(no) ?? [];
    const [device] = settings?.get(no) ?? [];
    const named = (all: typeof tags) => all?.get(no) ?? [];
    return {
      ...showState(row, zone),
      ...(tags && { Tags: named(tags).map(({ id, name }) => ({ tag_id: id, Name: cleanLine(name) })) }),
      ...(locations && {
        Locations: named(locations).map(({ id, name }) => ({ location_id: id, Name: cleanLine(name) })),
      }),
      ...(checks && { LastCheck: check === undefined ? null : showCheck(check, zone) }),
      ...(masters && {
        Master: master === undefined ? null : { device_id: master.id, ShortName: master.name },
      }),
      ...(device && {
        Settings: { ...showSettings(device), ...(device.locations_given ? {} : { Locations: null }) },
      }),
      ...(days && {
        Day: Array.from({ length: dayParts }, (_, part) => letters[days.get(no)?.[part] ?? 'Unknown']).join(
          '',
        ),
      }),
    };
  });
}

/** The worst status of each part of the last day, by the device's number. */
async function readDays(
  timelines: ReadTimelines,
  {
    fromUs,
    nowUs,
    devices,
  }: { readonly fromUs: number; readonly nowUs: number } & Pick<Parameters<ReadTimelines>[0], 'devices'>,
): Promise<ReadonlyMap<number, ReturnType<typeof worstStatuses>>> {
  const days = new Map<number, ReturnType<typeof worstStatuses>>();
  await timelines({ devices, toUs: nowUs, nowUs }, (deviceNo, spans) =>
    days.set(deviceNo, worstStatuses(spans, { fromUs, partUs, parts: dayParts }, days.get(deviceNo))),
  );
  return days;
}

function showState(row: EntryRow, zone: Zone): StateRow {
  const { device_id, ShortName, FullName, Method, Status, StatusSince, ...more } = showEntry(
    row,
    undefined,
    zone,
  );
  const { Enabled, Retrying, Severity, MaintenanceUntil, DownBecause } = more;
  const names = { device_id, ShortName, FullName, Method };
  return { ...names, Status, StatusSince, Enabled, Retrying, Severity, MaintenanceUntil, DownBecause };
}

function showCheck(
  check: { readonly start_us: number; readonly request_ms: number; readonly code: number },
  zone: Zone,
): NonNullable<StateRow['LastCheck']> {
  const RequestTime = Math.round(check.request_ms * 1_000) / 1_000;
  return { Timestamp: zone.format(check.start_us), RequestTime, ResultCode: check.code };
}

function byDevice<T extends { readonly device_no: number }>(rows: readonly T[]): ReadonlyMap<number, T[]> {
  return Map.groupBy(rows, ({ device_no }) => device_no);
}

const parts = ['Tags', 'Locations', 'LastCheck', 'Master', 'Day', 'Settings'] as const;
type Part = (typeof parts)[number];

/** The query parameters of `GET /states`. */
const statesQuery = z.object({
  ...deviceListQuery.shape,
  Limit: pageLimit(1_000, 1_000),
  Tag: tagQuery('their devices only. Match says how many of them'),
  Match: z
    .enum(['Any', 'All'])
    .default('Any')
    .describe('Any: devices with one of the tags. All: devices with each of them.'),
  With: someOf(parts, 'What each row has besides.'),
  ChangedSince: boundedText(50, 1)
    .optional()
    .describe(
      'The Vantage-Revision of an earlier answer, at most 50 minutes old: only what changed since. Rows with Gone are devices that were deleted or are not in the list any more. A row may come though nothing changed.',
    )
    .meta({ example: 'mb1ou4ao-2f6-hqy6qs8cdk' }),
});

/** A request for states. */
interface StatesAsk {
  readonly list: Omit<DeviceListAsk, 'nowUs'>;
  readonly parts: ReadonlySet<Part>;
  /** Undefined: all. */
  readonly since: Revision | undefined;
}

/**
 * Reads the parameters. Throws a Problem: 1003 for a tag, Location or device that the account does not have, 1004 for
 * all other faults.
 */
async function readStatesAsk(
  db: Db,
  accountNo: number,
  query: z.output<typeof statesQuery>,
): Promise<StatesAsk> {
  const { Tag, Match, With, ChangedSince, ...others } = query;
  const asked = new Set(With);
  const since = readSince(ChangedSince, query);
  const tags = Tag === undefined ? [] : await readTagSets(db, accountNo, Tag);
  const list = await readDeviceList(db, accountNo, others);
  const sets = Match === 'All' || tags.length === 0 ? tags : [tags.flat()];
  const filter = { ...list.filter, tagNos: [...(list.filter.tagNos ?? []), ...sets] };
  return { list: { ...list, filter, withoutResults: true }, parts: asked, since };
}

function readSince(
  text: string | undefined,
  { Sort, Offset }: z.output<typeof statesQuery>,
): Revision | undefined {
  if (text === undefined) return undefined;
  const since = parseRevision(text);
  if (since === undefined)
    throw invalid([{ field: 'ChangedSince', message: 'must be the Vantage-Revision of an earlier answer' }]);
  const other = Sort === undefined ? (Offset === undefined ? undefined : 'Offset') : 'Sort';
  if (other !== undefined)
    throw invalid([
      {
        field: other,
        message:
          'must not be sent together with ChangedSince, whose rows are in the order of creation; page with After',
      },
    ]);
  return since;
}
