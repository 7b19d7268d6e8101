import type { Clock } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../db/index.ts';
import { durationField, readDuration } from '../../http/duration.ts';
import { type Route, route } from '../../http/route.ts';
import { deviceFull } from './fields.ts';
import { createDeviceReader, deviceSubject } from './routes.ts';

/** Starts and ends maintenance; durations are microseconds. */
export interface Maintenance {
  startMaintenance(ask: {
    readonly accountNo: number;
    readonly deviceNo: number;
    readonly durationUs: number;
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
  })
  .meta({ id: 'MaintenanceStart' });

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
    level: 'UW',
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
        await maintenance.startMaintenance({ accountNo, deviceNo, durationUs: durationUs(body.Duration) });
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
