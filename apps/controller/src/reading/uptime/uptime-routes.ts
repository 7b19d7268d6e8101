import { cleanLine } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { idField } from '@vantage/rest-kit/field';
import { afterQuery, cutCursor, timestampQuery } from '@vantage/rest-kit/paging';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { DeviceSubject } from '../history/check-routes.ts';
import { readEnds, readPeriod, sinceCreation } from '../history/period.ts';
import { chosenDevices, listUptimeDevices, readDevicePage } from './uptime-store.ts';

/** Seconds of each state in a period. */
interface UptimeFigures {
  readonly UpSeconds: number;
  readonly DownSeconds: number;
  readonly MaintenanceSeconds: number;
  readonly UnknownSeconds: number;
  readonly ExcludedSeconds: number;
  readonly Outages: number;
  readonly ExcludedOutages: number;
}

/**
 * Computes the uptime of devices, by their numbers. Times are microseconds since 1970; `fromUs` is the start of the
 * device's period.
 */
export type ReadUptimes = (
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
) => Promise<ReadonlyMap<number, UptimeFigures>>;

const uptimeFigures = z.strictObject({
  UpSeconds: z.int(),
  DownSeconds: z.int(),
  MaintenanceSeconds: z.int(),
  UnknownSeconds: z.int().describe('Seconds in which it was not observed.'),
  Outages: z.int().describe('Outages that touch the period, without the excluded ones.'),
  Percent: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .describe(
      'UpSeconds / (UpSeconds + DownSeconds) in percent, rounded to six decimals; null where both are 0.',
    )
    .meta({ example: 99.97 }),
  ExcludedSeconds: z
    .int()
    .describe(
      'Down in outages that people excluded; it counts neither as up nor as down. The five add up to the period.',
    ),
  ExcludedOutages: z.int().describe('Excluded outages that touch the period.'),
});

const uptimeAnswer = z.strictObject({ Uptime: uptimeFigures }).meta({ id: 'Uptime' });

const uptimeRow = z
  .strictObject({
    device_id: idField,
    ShortName: z.string(),
    FullName: z.string().nullable(),
    Uptime: uptimeFigures,
  })
  .meta({ id: 'UptimeOfDevice' });

const period = {
  Timestamp1: timestampQuery('Begin; default: since creation.'),
  Timestamp2: timestampQuery('End, not included; default, and at most: now.'),
} as const;

const listQuery = z.object({
  ...period,
  ...chosenDevices,
  ...afterQuery('device_id'),
});

/** The parts that the routes of uptime need. */
interface UptimeRouteDeps {
  readonly clock: Clock;
  readonly device: DeviceSubject;
  readonly uptimes: ReadUptimes;
}

/** The summary of the states of one device, or of many, over a period. */
export function uptimeRoutes(deps: UptimeRouteDeps): Route[] {
  return [uptimeOfDevice(deps), uptimeOfDevices(deps)];
}

function uptimeOfDevice({ clock, device, uptimes }: UptimeRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/devices/{device_id}/uptime',
    readsHistory: true,
    level: 'UR',
    tag: 'Uptime',
    summary:
      'Seconds up, down, in maintenance and unobserved. Uptime is UpSeconds / (UpSeconds + DownSeconds).',
    subject: device,
    query: z.object(period),
    response: uptimeAnswer,
    names: { root: 'uptime' },
    handler: async ({ db, session, subject: { device_no: deviceNo, created_us: createdUs }, query }) => {
      const nowUs = clock.nowUs();
      const { fromUs, toUs } = readPeriod(query, { zone: session.zone, createdUs, nowUs });
      const figures = await uptimes(db, { devices: [{ deviceNo, createdUs, fromUs }], toUs, nowUs });
      return { body: { Uptime: showUptime(figures.get(deviceNo)) } };
    },
  });
}

function uptimeOfDevices({ clock, uptimes }: UptimeRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/uptime',
    readsHistory: true,
    level: 'UR',
    tag: 'Uptime',
    summary: 'Uptime of many devices, in the order of their creation.',
    description:
      'Without Timestamp1 the period of each device begins at its creation; it is empty for a device that was created after Timestamp2.',
    subject: noSubject,
    query: listQuery,
    response: z.array(uptimeRow),
    names: { root: 'uptimes', row: 'uptime', id: 'device_id' },
    handler: async ({ db, session, query }) => {
      const nowUs = clock.nowUs();
      const { fromUs, toUs } = readEnds(query, { zone: session.zone, nowUs });
      const page = await readDevicePage(db, session, query);
      const found = await listUptimeDevices(db, page);
      const { rows, next } = cutCursor(found.rows, page.limit, 'after', ({ device_id }) => device_id);
      const devices = rows.map(({ device_no: deviceNo, created_us: createdUs }) => ({
        deviceNo,
        createdUs,
        fromUs: fromUs ?? sinceCreation(createdUs, toUs),
      }));
      const figures = await uptimes(db, { devices, toUs, nowUs });
      const body = rows.map(({ device_no, device_id, short_name, full_name }) => ({
        device_id,
        ShortName: short_name,
        FullName: full_name === null ? null : cleanLine(full_name),
        Uptime: showUptime(figures.get(device_no)),
      }));
      return { body, total: found.total, next };
    },
  });
}

/** Shows figures with their percentage. */
function showUptime(figures: UptimeFigures | undefined): z.input<typeof uptimeFigures> {
  if (figures === undefined) throw new TypeError('a device has no uptime figures');
  const { UpSeconds, DownSeconds } = figures;
  const observed = UpSeconds + DownSeconds;
  // Six decimals of a percent show one second in a year.
  const Percent = observed === 0 ? null : Math.round((UpSeconds / observed) * 1e8) / 1e6;
  return { ...figures, Percent };
}
