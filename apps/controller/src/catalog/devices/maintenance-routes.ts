import { dayUs } from '@vantage/domain';
import { boundedText, type Clock } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../db/index.ts';
import { durationField, readDuration } from '../../http/duration.ts';
import { lineField } from '../../http/field.ts';
import { invalid } from '../../http/problem.ts';
import { type Route, route } from '../../http/route.ts';
import { timestampProblem, type Zone } from '../../http/zone.ts';
import { deviceFull } from './fields.ts';
import { createDeviceReader, deviceSubject } from './routes.ts';

/** Starts and ends maintenance; durations are microseconds. */
export interface Maintenance {
  startMaintenance(ask: {
    readonly accountNo: number;
    readonly deviceNo: number;
    readonly durationUs: number;
    /** Absent: now. */
    readonly startUs?: number | undefined;
    readonly reason?: string | null | undefined;
  }): Promise<unknown>;
  stopMaintenance(ask: { readonly accountNo: number; readonly deviceNo: number }): Promise<unknown>;
}

const defaultDuration = '01:00';

/** Seconds as `HH:MM`. */
export function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

/** The microseconds of `HH:MM`; null: of the default. */
export function durationUs(text: string | null): number {
  return readDuration(text ?? defaultDuration);
}

/** The body that starts maintenance. */
export const maintenanceStart = z
  .strictObject({
    Duration: durationField
      .nullable()
      .default(defaultDuration)
      .describe('HH:MM, elapsed time; null: the default.'),
    Reason: lineField(200)
      .nullable()
      .optional()
      .describe('Why, for people: it stands in the event. null: none.')
      .meta({ example: 'Kernel update' }),
    Start: boundedText(100)
      .nullable()
      .optional()
      .describe(
        'When it begins: a timestamp up to a year ahead; null: now. It replaces a window that has not begun.',
      )
      .meta({ example: '2026-03-01T02:00:00+01:00' }),
  })
  .meta({ id: 'MaintenanceStart' });

/** What the body asks for. Throws a Problem (1004) for a Start that is no timestamp, has passed or is too far away. */
export function readMaintenance(
  { Duration, Reason, Start }: z.output<typeof maintenanceStart>,
  zone: Zone,
  nowUs: number,
): { readonly durationUs: number; readonly startUs: number | undefined; readonly reason: string | null } {
  const startUs = Start == null ? undefined : zone.parse(Start);
  if (Start != null) {
    const problem = timestampProblem(Start) ?? startProblem(startUs ?? nowUs, nowUs);
    if (problem !== undefined) throw invalid([{ field: 'Start', message: problem }]);
  }
  return { durationUs: durationUs(Duration), startUs, reason: Reason ?? null };
}

/** A Start may lie this much in the past, because clocks differ and requests travel. */
const lateStartUs = 60_000_000;
const farthestUs = 366 * dayUs;

function startProblem(startUs: number, nowUs: number): string | undefined {
  if (startUs < nowUs - lateStartUs) return 'must not lie in the past; leave it out to start now';
  return startUs > nowUs + farthestUs ? 'must lie within a year from now' : undefined;
}

/** Starting and stopping the maintenance of one device. */
export function maintenanceRoutes({
  db,
  clock,
  maintenance,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly maintenance: Maintenance;
}): Route[] {
  const subject = deviceSubject(db);
  const read = createDeviceReader({ db, clock });
  const shared = {
    method: 'PUT',
    level: 'UO',
    tag: 'Maintenance',
    subject,
    response: deviceFull,
    names: { root: 'device', id: 'device_id' },
  } as const;
  return [
    route({
      ...shared,
      path: '/devices/{device_id}/start-maintenance',
      summary: 'Starts maintenance, or sets the end of the one that runs anew. Checks go on, alerts do not.',
      body: maintenanceStart,
      handler: async ({ session, subject: { device_no: deviceNo }, body }) => {
        const { accountNo } = session;
        const asked = readMaintenance(body, session.zone, clock.nowUs());
        await maintenance.startMaintenance({ accountNo, deviceNo, ...asked });
        return read(session, deviceNo, false);
      },
    }),
    route({
      ...shared,
      path: '/devices/{device_id}/stop-maintenance',
      summary: 'Ends all current maintenance; the state is what checks say.',
      handler: async ({ session, subject: { device_no: deviceNo } }) => {
        await maintenance.stopMaintenance({ accountNo: session.accountNo, deviceNo });
        return read(session, deviceNo, false);
      },
    }),
  ];
}
