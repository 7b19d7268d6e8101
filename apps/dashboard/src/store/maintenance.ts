import type { Schemas } from '@vantage/client';
import { dayMs } from '@vantage/domain/units';
import { ApiProblem, api, take, takeAnswer } from './api.ts';
import { serverNow } from './clock.ts';
import { readAllStates } from './read-states.ts';

type Maintenance = Schemas['Maintenance'];
export type Mschedule = Schemas['MaintenanceSchedule'];
export type PreviewWindow = Schemas['MaintenanceWindow'];

const pageSize = 100;
/** Nobody reads more rows. */
const mostRows = 2_000;
/** Windows of schedules are listed so far ahead; later ones come from the preview of each schedule. */
const aheadMs = 62 * dayMs;

/** A window that a calendar shows, milliseconds since 1970. */
export interface CalendarWindow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly title: string | undefined;
  readonly schedule: Mschedule | undefined;
  /** undefined: it is so far away that it cannot be cancelled yet. */
  readonly row: Maintenance | undefined;
}

/** A change of the clocks that touches a window of a schedule. */
export interface ClockNote {
  readonly schedule: Mschedule;
  readonly window: PreviewWindow;
}

/** The content of a calendar. */
export interface CalendarData {
  readonly windows: readonly CalendarWindow[];
  readonly notes: readonly ClockNote[];
  readonly schedules: readonly Mschedule[];
}

/** All maintenance that runs or is planned. */
async function readMaintenance(): Promise<readonly Maintenance[]> {
  const rows: Maintenance[] = [];
  for (let hasMore = true; hasMore && rows.length < mostRows; ) {
    const query = { Limit: pageSize, Offset: rows.length };
    const answer = await takeAnswer(api.GET('/maintenance', { params: { query } }));
    rows.push(...answer.data);
    ({ hasMore } = answer);
  }
  return rows;
}

const readMschedules = (): Promise<readonly Mschedule[]> => take(api.GET('/mschedules'));

/** How many devices have this maintenance schedule, and the first of them. */
export async function readMscheduleUsers(mschedule_id: string) {
  const query = { mschedule_id, Limit: 10 };
  const { data, total } = await takeAnswer(api.GET('/devices', { params: { query } }));
  return {
    total,
    first: data.map(({ device_id, FullName, ShortName }) => ({ id: device_id, name: FullName ?? ShortName })),
  };
}

/** Reads all that a calendar from `fromMs` to `toMs` shows. */
export async function readCalendar(fromMs: number, toMs: number): Promise<CalendarData> {
  const [rows, schedules] = await Promise.all([readMaintenance(), readMschedules()]);
  const query = { From: new Date(Math.max(fromMs, serverNow())).toISOString(), Limit: pageSize };
  const previews = await Promise.all(
    schedules.map(async (schedule) => {
      const path = { mschedule_id: schedule.mschedule_id };
      const [windows, users] = await Promise.all([
        take(api.GET('/mschedules/{mschedule_id}/preview', { params: { path, query } })),
        readMscheduleUsers(schedule.mschedule_id),
      ]);
      // A schedule without devices has no windows.
      return users.total === 0 ? [] : windows.map((window) => ({ schedule, window }));
    }),
  );
  const listedMs = serverNow() + aheadMs;
  const stored = rows.map((row) => {
    const schedule = schedules.find(({ mschedule_id }) => mschedule_id === row.mschedule_id);
    const title = schedule?.Name ?? row.Reason ?? undefined;
    return { fromMs: Date.parse(row.Start), toMs: Date.parse(row.End), title, schedule, row };
  });
  const later = previews.flat().flatMap(({ schedule, window: { Start, End } }) => {
    const times = { fromMs: Date.parse(Start ?? ''), toMs: Date.parse(End ?? '') };
    return times.fromMs > listedMs ? [{ ...times, title: schedule.Name, schedule, row: undefined }] : [];
  });
  return {
    windows: [...stored, ...later].filter((each) => each.fromMs < toMs && each.toMs > fromMs),
    notes: previews.flat().filter(({ window }) => window.Note !== null),
    schedules,
  };
}

/** Ends maintenance that runs, or cancels what is planned. */
export async function endMaintenance(maintenance_id: string): Promise<void> {
  await take(api.DELETE('/maintenance/{maintenance_id}', { params: { path: { maintenance_id } } }));
}

/** The devices that get a window. */
export type Target =
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'device'; readonly id: string }
  | { readonly kind: 'schedule'; readonly schedule: Mschedule };

const notFound = 1003;

async function tagIdOf(name: string): Promise<string> {
  for (let Offset = 0; ; Offset += pageSize) {
    const query = { Limit: pageSize, Offset };
    const page = await take(api.GET('/tags', { params: { query } }));
    const found = page.find(({ Name }) => Name === name);
    if (found !== undefined) return found.tag_id;
    if (page.length < pageSize) throw new ApiProblem(notFound, `There is no tag ${name} any more.`);
  }
}

/** Changes all devices that a filter leaves: the preview first, then with its token. */
export async function changeDevices(
  body: Omit<Schemas['BulkChange'], 'Delete' | 'Preview' | 'Token'>,
): Promise<Schemas['BulkChangeOutcome']> {
  const asked = { ...body, Delete: false };
  const { Token } = await take(api.POST('/devices/change', { body: asked }));
  return take(api.POST('/devices/change', { body: { ...asked, Token } }));
}

/** Starts or plans maintenance. */
export async function planMaintenance(
  target: Target,
  { start, duration, reason }: { readonly start: string; readonly duration: string; readonly reason: string },
): Promise<void> {
  const body = {
    Duration: duration,
    Reason: reason === '' ? null : reason,
    Start: start === '' ? null : `${start}:00`,
  };
  switch (target.kind) {
    case 'device': {
      const params = { path: { device_id: target.id } };
      await take(api.PUT('/devices/{device_id}/start-maintenance', { params, body }));
      return;
    }
    case 'tag': {
      const params = { path: { tag_id: await tagIdOf(target.tag) } };
      await take(api.PUT('/tags/{tag_id}/start-maintenance', { params, body }));
      return;
    }
    case 'schedule': {
      const Filter = { mschedule_id: target.schedule.mschedule_id };
      await changeDevices({ Filter, Maintenance: body });
    }
  }
}

/** The ids of the devices that have this maintenance schedule. */
export async function readScheduleDevices(mschedule_id: string): Promise<readonly string[]> {
  return (await readAllStates({ mschedule_id })).map(({ device_id }) => device_id);
}

/** Of so many schedules the contacts are asked for. */
const mostSchedules = 20;

/**
 * Who would be notified if one of these devices failed at the begin of a window and stayed so until its end: the
 * sentences of the server.
 */
export async function readQuieted(
  filter: { readonly Tag?: readonly string[]; readonly mschedule_id?: string; readonly id?: string },
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<readonly string[]> {
  const { id, ...query } = filter;
  const [account, ids] = await Promise.all([
    take(api.GET('/account')),
    id === undefined ? schedulesOf(query) : scheduleOf(id),
  ]);
  const used = [...new Set(ids.map((own) => own ?? account.nschedule_id))].flatMap((own) => own ?? []);
  const sentences = await Promise.all(
    used.slice(0, mostSchedules).map(async (nschedule_id) => {
      const schedule = await take(
        api.GET('/nschedules/{nschedule_id}', { params: { path: { nschedule_id } } }),
      );
      const messages = await take(
        api.POST('/nschedules/preview', {
          body: {
            Steps: schedule.Steps,
            Timezone: schedule.Timezone,
            At: new Date(fromMs).toISOString(),
            Severity: 'critical',
            Kind: 'device.down',
          },
        }),
      );
      return messages
        .filter(({ Timestamp, Repeat }) => !Repeat && Date.parse(Timestamp) < toMs)
        .map(({ Text }) => `${schedule.Name}: ${Text}`);
    }),
  );
  return sentences.flat();
}

async function scheduleOf(device_id: string): Promise<readonly (string | null)[]> {
  return [(await take(api.GET('/devices/{device_id}', { params: { path: { device_id } } }))).nschedule_id];
}

async function schedulesOf(filter: {
  readonly Tag?: readonly string[];
  readonly mschedule_id?: string;
}): Promise<readonly (string | null)[]> {
  const rows = await readAllStates({ ...filter, With: ['Settings'] });
  return rows.map(({ Settings }) => Settings?.nschedule_id ?? null);
}
