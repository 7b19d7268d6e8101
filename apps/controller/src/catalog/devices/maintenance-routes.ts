import { dayUs, minuteUs } from '@vantage/domain';
import { boundedText, type Clock, newId } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { lineField } from '../../rest/http/field.ts';
import { invalid } from '../../rest/http/problem.ts';
import { type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import { durationField, readDuration } from '../../rest/http/time-span.ts';
import { timestampProblem, type Zone } from '../../rest/http/zone.ts';
import type { Catalog, FieldChange } from '../change.ts';
import { changeElsewhere } from '../change-elsewhere.ts';
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
    /** The windows of one request share it. */
    readonly maintenanceId: string;
    readonly by: string | undefined;
  }): Promise<unknown>;
  /** With `maintenanceId` only this one. */
  stopMaintenance(ask: {
    readonly accountNo: number;
    readonly deviceNo: number;
    readonly maintenanceId?: string;
  }): Promise<number>;
  /** Cancels an occurrence of a schedule that has not begun. */
  cancelOccurrence(ask: { readonly mscheduleNo: number; readonly occurrenceUs: number }): Promise<void>;
}

/** A request for maintenance. */
interface AskedMaintenance {
  readonly durationUs: number;
  readonly startUs: number | undefined;
  readonly reason: string | null;
  /** The caller's name; undefined: the key has none. */
  readonly by: string | undefined;
}

const defaultDuration = '01:00';

/** The microseconds of `HH:MM`; null: of the default. */
function durationUs(text: string | null): number {
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
  // A Start would lie in the past one day.
  .meta({ id: 'MaintenanceStart', example: { Duration: '01:30', Reason: 'Kernel update' } });

/**
 * Reads the request for maintenance. Throws a Problem (1004) for a Start that is no timestamp, has passed or is too far
 * away; `field` is its name in the whole body.
 */
export function readMaintenance(
  { Duration, Reason, Start }: z.output<typeof maintenanceStart>,
  { zone, keyName }: Session,
  nowUs: number,
  field = 'Start',
): AskedMaintenance {
  const startUs = Start == null ? undefined : zone.parse(Start);
  if (Start != null) {
    const problem = timestampProblem(Start) ?? startProblem(startUs ?? nowUs, nowUs);
    if (problem !== undefined) throw invalid([{ field, message: problem }]);
  }
  const by = keyName === '' ? undefined : keyName;
  return { durationUs: durationUs(Duration), startUs, reason: Reason ?? null, by };
}

/** How the audit shows that maintenance was asked for. */
export function startedField(
  asked: AskedMaintenance & { readonly maintenanceId: string },
  zone: Zone,
  nowUs: number,
): FieldChange {
  const fromUs = asked.startUs ?? nowUs;
  const span = { Start: zone.format(fromUs), End: zone.format(fromUs + asked.durationUs) };
  const now = { maintenance_id: asked.maintenanceId, ...span, Reason: asked.reason };
  return { field: 'Maintenance', old: null, new: now };
}

/** How the audit shows that maintenance was ended. */
export const stoppedField: FieldChange = { field: 'Maintenance', old: true, new: null };

/** A Start may lie this much in the past, because clocks differ and requests travel. */
const lateStartUs = minuteUs;
const farthestUs = 366 * dayUs;

function startProblem(startUs: number, nowUs: number): string | undefined {
  if (startUs < nowUs - lateStartUs) return 'must not lie in the past; leave it out to start now';
  return startUs > nowUs + farthestUs ? 'must lie within a year from now' : undefined;
}

/** Finds the device that a path names, with its id. */
function maintainedSubject(db: Db) {
  const { what, find } = deviceSubject(db);
  return {
    what,
    find: async (session: Session, params: Readonly<Record<string, string>>) => {
      const device = await find(session, params);
      return device && { deviceNo: device.device_no, id: params['device_id'] ?? '' };
    },
  };
}

/** Starting and stopping the maintenance of one device. */
export function maintenanceRoutes({
  db,
  clock,
  catalog,
  maintenance,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly catalog: Catalog;
  readonly maintenance: Maintenance;
}): Route[] {
  const subject = maintainedSubject(db);
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
      handler: async ({ session, subject: { deviceNo, id }, body }) => {
        const { accountNo } = session;
        const nowUs = clock.nowUs();
        const asked = { ...readMaintenance(body, session, nowUs), maintenanceId: newId() };
        await changeElsewhere({ db, catalog }, session, async () => {
          await maintenance.startMaintenance({ accountNo, deviceNo, ...asked });
          const fields = [startedField(asked, session.zone, nowUs)];
          return { action: 'update', kind: 'device', id, fields };
        });
        return read(session, deviceNo, false);
      },
    }),
    route({
      ...shared,
      path: '/devices/{device_id}/stop-maintenance',
      summary: 'Ends all current maintenance; the state is what checks say.',
      handler: async ({ session, subject: { deviceNo, id } }) => {
        const { accountNo } = session;
        await changeElsewhere({ db, catalog }, session, async () => {
          const ended = await maintenance.stopMaintenance({ accountNo, deviceNo });
          return ended > 0 ? { action: 'update', kind: 'device', id, fields: [stoppedField] } : undefined;
        });
        return read(session, deviceNo, false);
      },
    }),
  ];
}
