import type { Schemas } from '@vantage/client';
import { dayMs } from '@vantage/domain/units';
import { api, take, takeAnswer } from './api.ts';
import { serverNow } from './clock.ts';
import {
  type Mschedule,
  type PreviewWindow,
  readMschedules,
  readMscheduleUsers,
} from './maintenance-schedules.ts';

type StoredWindow = Schemas['Maintenance'];

const pageSize = 100;
/** A calendar with more windows is not readable. */
const maxRows = 2_000;
/** The API lists windows of schedules this far ahead. Later ones come from the preview of each schedule. */
const aheadMs = 62 * dayMs;

/** A window in the calendar, milliseconds since 1970. */
export interface CalendarWindow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly title: string | undefined;
  readonly schedule: Mschedule | undefined;
  /** undefined: it is too far ahead to be cancelled yet. */
  readonly row: StoredWindow | undefined;
}

/** A clock change that affects a window of a schedule. */
export interface ClockNote {
  readonly schedule: Mschedule;
  readonly window: PreviewWindow;
}

/** The content of a calendar. */
export interface CalendarData {
  readonly windows: readonly CalendarWindow[];
  /** Also those outside the calendar that run or are planned. */
  readonly all: readonly CalendarWindow[];
  readonly notes: readonly ClockNote[];
  readonly schedules: readonly Mschedule[];
}

/** The API lists maintenance that ended in these days. */
const pastMs = 61 * dayMs;

/** All maintenance that is running or planned, and what ended after `fromMs`. */
async function readStoredWindows(fromMs: number): Promise<readonly StoredWindow[]> {
  const nowMs = serverNow();
  const Timestamp1 = new Date(Math.max(fromMs, nowMs - pastMs)).toISOString();
  const rows: StoredWindow[] = [];
  for (let hasMore = true; hasMore && rows.length < maxRows; ) {
    const query = { Limit: pageSize, Offset: rows.length, ...(fromMs < nowMs ? { Timestamp1 } : {}) };
    const answer = await takeAnswer(api.GET('/maintenance', { params: { query } }));
    rows.push(...answer.data);
    ({ hasMore } = answer);
  }
  return rows;
}

/** Reads the content of a calendar from `fromMs` to `toMs`. */
export async function readCalendar(fromMs: number, toMs: number): Promise<CalendarData> {
  const [rows, schedules] = await Promise.all([readStoredWindows(fromMs), readMschedules()]);
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
  const all = [...stored, ...later];
  return {
    windows: all.filter((window) => window.fromMs < toMs && window.toMs > fromMs),
    all,
    notes: previews.flat().filter(({ window }) => window.Note !== null),
    schedules,
  };
}
