import { dayUs, secondUs } from '@vantage/domain';
import { nextOccurrences, type Occurrence } from '@vantage/health';
import { boundedText } from '@vantage/kernel';
import { pageLimit } from '@vantage/rest-kit/paging';
import { invalid } from '@vantage/rest-kit/problem';
import { durationText } from '@vantage/rest-kit/time-span';
import { createZone, timestampProblem, type Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import { previewWindow } from './maintenance-schedule-fields.ts';
import type { MscheduleRow } from './maintenance-schedule-store.ts';

/** Windows of a preview. */
export const previewed = 10;

const maxPreviewed = 100;

/** A preview begins at most so far from now. */
const farthestUs = 2 * 366 * dayUs;

export const previewQuery = z.object({
  From: boundedText(100)
    .optional()
    .describe('The windows that end after this time, within two years from now. Default: now.')
    .meta({ example: '2026-03-01T00:00:00+01:00' }),
  Limit: pageLimit(maxPreviewed, previewed),
});

export function readFrom(text: string | undefined, zone: Zone, nowUs: number): number {
  if (text === undefined) return nowUs;
  const fromUs = zone.parse(text) ?? nowUs;
  const isFar = Math.abs(fromUs - nowUs) > farthestUs;
  const problem = timestampProblem(text) ?? (isFar ? 'must lie within two years from now' : undefined);
  if (problem !== undefined) throw invalid([{ field: 'From', message: problem }]);
  return fromUs;
}

export const preview = {
  level: 'UR',
  description:
    'In addition to the windows, the answer has the times that the clocks skip, which have no window. Note describes the effect of a clock change.',
  response: z.array(previewWindow),
  names: { root: 'windows', row: 'window', id: 'LocalStart' },
} as const;

/** The columns that determine the windows of a schedule. */
type WindowRow = Pick<MscheduleRow, 'timezone' | 'start_local' | 'duration_s' | 'recurrence'>;

export function windowsOf(
  row: WindowRow,
  zone: Zone,
  fromUs: number,
  most: number,
): z.input<typeof previewWindow>[] {
  const own = createZone(row.timezone);
  const found = nextOccurrences(scheduleOf(row), fromUs, most);
  return found.map((each) => showWindow(each, { row, own, zone }));
}

function scheduleOf({ timezone, start_local, duration_s, recurrence }: WindowRow) {
  return { timezone, startLocal: start_local, durationUs: duration_s * secondUs, recurrence };
}

function showWindow(
  occurrence: Occurrence,
  zones: { readonly row: WindowRow; readonly own: Zone; readonly zone: Zone },
): z.input<typeof previewWindow> {
  const { window, startLocal } = occurrence;
  return {
    LocalStart: startLocal,
    Start: window === undefined ? null : zones.zone.format(window.fromUs),
    End: window === undefined ? null : zones.zone.format(window.toUs),
    Note: noteOf(occurrence, zones),
  };
}

function noteOf(
  { startLocal, window, clockChange }: Occurrence,
  { row, own }: { readonly row: WindowRow; readonly own: Zone },
): string | null {
  const [date = '', time = ''] = startLocal.split('T');
  switch (clockChange) {
    case undefined:
      return null;
    case 'skipped':
      return `${time} does not exist on ${date} in ${row.timezone}, because the clocks go forward: there is no window.`;
    case 'repeated':
      return `${time} comes twice on ${date} in ${row.timezone}, because the clocks go back: the window begins at the first one (${own.format(window?.fromUs ?? 0).slice(-6)}).`;
    case 'within':
      return `The clocks change within the window: it lasts ${durationText(row.duration_s)} of elapsed time and ends at ${own.format(window?.toUs ?? 0).slice(11, 16)} local time.`;
  }
}
