import { deviceStatuses, secondUs } from '@vantage/domain';
import { createSpanJoiner, type DrawnSpan, type ShownSpan } from '@vantage/health';
import { boundedText, type Clock } from '@vantage/kernel';
import { idField, timestampField } from '@vantage/rest-kit/field';
import { locationQuery } from '@vantage/rest-kit/named';
import { afterQuery, cutCursor, pageLimit, timestampQuery } from '@vantage/rest-kit/paging';
import { invalid } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Zone } from '@vantage/rest-kit/zone';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import { type HistoryPeriod, readEnds } from '../history/period.ts';
import type { ReadUptimes } from '../uptime/uptime-routes.ts';
import { chosenDevices, listUptimeDevices, readDevicePage } from '../uptime/uptime-store.ts';

const daySeconds = 86_400;
/** The maximum of intervals of all devices that a Resolution may request; answers may have twice as many. */
const maxIntervals = 500_000;
/** The maximum of intervals in an answer: 10 MB of JSON. */
const maxInAnswer = 100_000;
/** Without Resolution a period has about this many intervals. */
const usualParts = 500;
const maxDevices = 500;

/**
 * Computes the shown statuses of devices. `onSpans` receives them by the device's number, in order of time. The spans
 * of a device may arrive in parts; the first span of a part may continue the last span of the part before.
 */
type ReadTimelineParts = (
  db: Reader,
  ask: Parameters<ReadUptimes>[1],
  onSpans: (deviceNo: number, spans: readonly ShownSpan[]) => void,
) => Promise<void>;

const interval = z
  .strictObject({
    Start: timestampField,
    End: timestampField.nullable().describe('Not included; null: it reaches now.'),
    Status: z.enum(deviceStatuses),
    Seconds: z.int().describe('Whole seconds from Start to End; those of a device add up to its period.'),
    Mixed: z
      .literal(true)
      .optional()
      .describe('Several intervals shorter than Resolution, under the worst of their statuses.'),
  })
  .meta({ id: 'TimelineInterval' });
const timelineRow = z
  .strictObject({ device_id: idField, Intervals: z.array(interval) })
  .meta({ id: 'DeviceTimeline' });

const query = z.object({
  ...chosenDevices,
  Location: locationQuery('the devices that are checked from there only'),
  Locations: locationQuery('an older name of Location').meta({ deprecated: true }),
  Timestamp1: timestampQuery('Begin; default: a day before the end.'),
  Timestamp2: timestampQuery('End, not included; default, and at most: now.'),
  Resolution: boundedText(20)
    .regex(/^\d+$/, { error: 'must be seconds in digits, for example Resolution=300' })
    .transform(Number)
    .refine((seconds) => seconds <= 400 * daySeconds, { error: 'must be at most 400 days, in seconds' })
    .optional()
    .meta({
      description:
        'Seconds: neighbouring intervals that are shorter are joined under their worst status. An answer has at most 100,000 intervals. Default: a 500th of the period, and more with more than 100 devices.',
      override: { type: 'integer', minimum: 0, example: 300 },
    }),
  ...afterQuery('device_id'),
  Limit: pageLimit(maxDevices, maxDevices),
});

/** The statuses of many devices over a period, for pictures of it. */
export function timelineRoutes({
  clock,
  timelines,
}: {
  readonly clock: Clock;
  readonly timelines: ReadTimelineParts;
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/timeline',
      readsHistory: true,
      isWide: true,
      level: 'UR',
      tag: 'Uptime',
      summary: 'The statuses of up to 500 devices over a period, as intervals.',
      description: 'A device that was created within the period has intervals from then on.',
      subject: noSubject,
      query,
      response: z.array(timelineRow),
      names: { root: 'timelines', row: 'timeline', id: 'device_id' },
      handler: async ({ db, session, query: asked }) => {
        const nowUs = clock.nowUs();
        const ends = readEnds(asked, { zone: session.zone, nowUs });
        const period = { fromUs: ends.fromUs ?? ends.toUs - daySeconds * secondUs, toUs: ends.toUs };
        const page = await readDevicePage(db, session, asked);
        const found = await listUptimeDevices(db, page);
        const { rows, next } = cutCursor(found.rows, page.limit, 'after', ({ device_id }) => device_id);
        const resolutionUs = readResolution(asked.Resolution, period, rows.length);
        const devices = rows.map(({ device_no: deviceNo, created_us: createdUs }) => ({
          deviceNo,
          createdUs,
          fromUs: Math.min(period.toUs, Math.max(period.fromUs, wholeSecond(createdUs))),
        }));
        const joiners = new Map(
          devices.map(({ deviceNo }) => [deviceNo, createSpanJoiner(resolutionUs)] as const),
        );
        let size = 0;
        await timelines(db, { devices, toUs: period.toUs, nowUs }, (deviceNo, spans) => {
          const joiner = joiners.get(deviceNo);
          size -= joiner?.size ?? 0;
          joiner?.add(spans);
          size += joiner?.size ?? 0;
          if (size > maxInAnswer) throw tooFine();
        });
        const openUs =
          asked.Timestamp2 === undefined || period.toUs === wholeSecond(nowUs) ? period.toUs : undefined;
        const body = rows.map(({ device_no, device_id }) => ({
          device_id,
          Intervals: (joiners.get(device_no)?.drawn ?? [])
            .filter(({ fromUs, toUs }) => wholeSecond(toUs) > wholeSecond(fromUs) || toUs === openUs)
            .map((span) => showInterval(span, openUs, session.zone)),
        }));
        return { body, total: found.total, next };
      },
    }),
  ];
}

/** The resolution, microseconds. Throws a Problem (1004) where the answer would have too many intervals. */
function readResolution(asked: number | undefined, { fromUs, toUs }: HistoryPeriod, devices: number): number {
  const seconds = (toUs - fromUs) / secondUs;
  const least = Math.floor((seconds * devices) / maxIntervals);
  if (asked !== undefined && asked < least)
    throw invalid([
      {
        field: 'Resolution',
        message: `must be at least ${least} seconds for ${devices} devices and this period; request fewer devices, or a shorter period`,
      },
    ]);
  const usual = Math.max(Math.floor(seconds / usualParts), Math.ceil((2 * seconds * devices) / maxInAnswer));
  return (asked ?? usual) * secondUs;
}

/** 1004: the statuses changed too often for the Resolution. */
function tooFine() {
  return invalid([
    {
      field: 'Resolution',
      message: `must be greater: the answer would have more than ${maxInAnswer.toLocaleString('en-US')} intervals; request fewer devices, or a shorter period, or leave it out`,
    },
  ]);
}

function showInterval({ fromUs, toUs, status, isMixed }: DrawnSpan, openUs: number | undefined, zone: Zone) {
  return {
    Start: zone.format(fromUs),
    End: toUs === openUs ? null : zone.format(toUs),
    Status: status,
    Seconds: (wholeSecond(toUs) - wholeSecond(fromUs)) / secondUs,
    ...(isMixed ? { Mixed: true as const } : {}),
  };
}

function wholeSecond(us: number): number {
  return Math.floor(us / secondUs) * secondUs;
}
