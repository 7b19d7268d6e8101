import { cleanLine } from '@vantage/domain';
import { type ShownSpan, worstStatuses } from '@vantage/health';
import type { Clock } from '@vantage/kernel';
import { cutCursor } from '@vantage/rest-kit/paging';
import { invalid } from '@vantage/rest-kit/problem';
import type { Reply, Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Zone } from '@vantage/rest-kit/zone';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import { isPagedById } from '../../catalog/devices/device-list-query.ts';
import { listDevices } from '../../catalog/devices/device-list-store.ts';
import { type EntryRow, readDevices } from '../../catalog/devices/device-store.ts';
import { showSettings } from '../../catalog/devices/to-rest.ts';
import { changedSince, isTellable, type Revision, readRevision, showRevision } from './revision.ts';
import {
  byDevice,
  dayParts,
  letters,
  partUs,
  type StateRow,
  showCheck,
  showState,
  stateRow,
} from './state-row.ts';
import { idsOf, lastChecksOf, locationsOf, mastersOf, tagsOf } from './state-store.ts';
import { isWidePage, readStatesAsk, type StatesAsk, statesQuery } from './states-query.ts';

/** Works out the shown statuses of devices in the order of time, by their numbers. */
export type ReadTimelines = (
  db: Reader,
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
      isWide: isWidePage,
      response: z.array(stateRow),
      names: { root: 'states', row: 'state', id: 'device_id' },
      handler: async ({ db, session: { accountNo, zone }, query }) => {
        const ask = await readStatesAsk(db, accountNo, query);
        const nowUs = deps.clock.nowUs();
        // Before the states: what is committed between comes again.
        const revision = await readRevision(db.kysely, nowUs);
        const page = await (ask.since === undefined
          ? readAll(db, deps, ask, { nowUs, zone })
          : readChanged(db, deps, { ...ask, since: ask.since }, { revision, nowUs, zone }));
        return { ...page, revision: showRevision(revision) };
      },
    }),
  ];
}

async function readAll(
  db: Reader,
  deps: StateRouteDeps,
  { list, parts }: StatesAsk,
  { nowUs, zone }: { readonly nowUs: number; readonly zone: Zone },
): Promise<Reply<StateRow[]>> {
  const found = await listDevices(db, { ...list, nowUs });
  const { limit, offset } = list;
  const { rows, next } = cutCursor(found.rows, limit, 'after', ({ device_id }) => device_id);
  return {
    body: await complete(db, deps, rows, { parts, nowUs, zone }),
    ...(found.total === undefined ? {} : { total: found.total }),
    next: next === undefined || isPagedById(list) ? next : { limit, offset: offset + limit },
  };
}

async function readChanged(
  db: Reader,
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
  const { kysely } = db;
  const { accountNo, afterNo = 0, limit } = list;
  const changed = (await changedSince(kysely, accountNo, { before: since, nowUs })).filter(
    (no) => no > afterNo,
  );
  const page = changed.slice(0, limit);
  if (page.length === 0) return { body: [] };
  const filter = { ...list.filter, among: page };
  const { rows } = await listDevices(db, { ...list, filter, afterNo: undefined, nowUs });
  const present = new Set(rows.map(({ device_no }) => device_no));
  const ids = await idsOf(
    kysely,
    accountNo,
    page.filter((no) => !present.has(no) || no === page.at(-1)),
  );
  const gone = page.flatMap((no) => {
    const device_id = present.has(no) ? undefined : ids.get(no);
    return device_id === undefined ? [] : [{ device_id, Gone: true as const }];
  });
  const last = ids.get(page.at(-1) ?? 0);
  return {
    body: [...(await complete(db, deps, rows, { parts, nowUs, zone })), ...gone],
    next: changed.length > limit && last !== undefined ? { limit, after: last } : undefined,
  };
}

/** The rows with the requested parts. */
async function complete(
  db: Reader,
  { timelines }: StateRouteDeps,
  rows: readonly EntryRow[],
  { parts, nowUs, zone }: { readonly parts: StatesAsk['parts']; readonly nowUs: number; readonly zone: Zone },
): Promise<StateRow[]> {
  const { kysely } = db;
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
    parts.has('Day') ? readDays(db, timelines, { devices, fromUs, nowUs }) : undefined,
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
  db: Reader,
  timelines: ReadTimelines,
  {
    fromUs,
    nowUs,
    devices,
  }: { readonly fromUs: number; readonly nowUs: number } & Pick<Parameters<ReadTimelines>[1], 'devices'>,
): Promise<ReadonlyMap<number, ReturnType<typeof worstStatuses>>> {
  const days = new Map<number, ReturnType<typeof worstStatuses>>();
  await timelines(db, { devices, toUs: nowUs, nowUs }, (deviceNo, spans) =>
    days.set(deviceNo, worstStatuses(spans, { fromUs, partUs, parts: dayParts }, days.get(deviceNo))),
  );
  return days;
}
