import type { Clock } from '@vantage/kernel';
import { z } from 'zod';
import { timestampQuery } from '../http/paging.ts';
import { type Route, route } from '../http/route.ts';
import type { DeviceSubject } from './check-routes.ts';
import { readPeriod } from './period.ts';

/** Seconds of each state in a period. */
export interface UptimeFigures {
  readonly UpSeconds: number;
  readonly DownSeconds: number;
  readonly MaintenanceSeconds: number;
  readonly UnknownSeconds: number;
  readonly Outages: number;
}

/** Works out a device's uptime; times are microseconds since 1970. */
export type ReadUptime = (ask: {
  readonly deviceNo: number;
  readonly createdUs: number;
  readonly fromUs: number;
  readonly toUs: number;
  readonly nowUs: number;
}) => Promise<UptimeFigures>;

const uptimeAnswer = z
  .strictObject({
    Uptime: z.strictObject({
      UpSeconds: z.int(),
      DownSeconds: z.int(),
      MaintenanceSeconds: z.int(),
      UnknownSeconds: z.int().describe('Nobody observed it; the four add up to the period.'),
      Outages: z.int().describe('Outages that touch the period.'),
    }),
  })
  .meta({ id: 'Uptime' });

/** The summary of a device's states over a period. */
export function uptimeRoutes({
  clock,
  device,
  uptime,
}: {
  readonly clock: Clock;
  readonly device: DeviceSubject;
  readonly uptime: ReadUptime;
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/devices/{device_id}/uptime',
      level: 'UR',
      tag: 'Uptime',
      summary:
        'Seconds up, down, in maintenance and unobserved. Uptime is UpSeconds / (UpSeconds + DownSeconds).',
      subject: device,
      query: z.object({
        Timestamp1: timestampQuery('Begin; default: since creation.'),
        Timestamp2: timestampQuery('End; default, and at most: now.'),
      }),
      response: uptimeAnswer,
      names: { root: 'uptime' },
      handler: async ({ session, subject, query }) => {
        const nowUs = clock.nowUs();
        const createdUs = subject.created_us;
        const period = readPeriod(query, { zone: session.zone, createdUs, nowUs });
        const figures = await uptime({ deviceNo: subject.device_no, createdUs, nowUs, ...period });
        const { UpSeconds, DownSeconds, MaintenanceSeconds, UnknownSeconds, Outages } = figures;
        return { body: { Uptime: { UpSeconds, DownSeconds, MaintenanceSeconds, UnknownSeconds, Outages } } };
      },
    }),
  ];
}
