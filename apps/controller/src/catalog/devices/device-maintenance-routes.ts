import { dayUs, minuteUs } from '@vantage/domain';
import { boundedText, type Clock, newId } from '@vantage/kernel';
import { lineField } from '@vantage/rest-kit/field';
import { invalid } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import { durationField, readDuration } from '@vantage/rest-kit/time-span';
import { timestampProblem, type Zone } from '@vantage/rest-kit/zone';
import type { Db } from '@vantage/storage';
import { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { changeElsewhere } from '../../resources/change-elsewhere.ts';
import type { FieldChange } from '../../resources/field-changes.ts';
import { deviceFull } from './device-full.ts';
import { createDeviceReader } from './device-reader.ts';
import { deviceSubject } from './device-routes.ts';

/** Starts and ends maintenance; durations are microseconds. */
export interface DeviceMaintenance {
  startMaintenance(
    db: Db,
    ask: {
      readonly accountNo: number;
      readonly deviceNo: number;
      readonly durationUs: number;
      /** Absent: now. */
      readonly startUs?: number | undefined;
      readonly reason?: string | null | undefined;
      /** The windows of one request share it. */
      readonly maintenanceId: string;
      readonly by: string | undefined;
    },
  ): Promise<unknown>;
  /** With `maintenanceId` only this one. */
  stopMaintenance(
    db: Db,
    ask: {
      readonly accountNo: number;
      readonly deviceNo: number;
      readonly maintenanceId?: string;
    },
  ): Promise<number>;
  /** Cancels an occurrence of a schedule that has not begun. */
  cancelOccurrence(
    db: Db,
    ask: { readonly mscheduleNo: number; readonly occurrenceUs: number },
  ): Promise<void>;
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
      .describe('The reason, for people; the event shows it. null: none.')
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

/** The audit's entry for started maintenance. */
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

/** The audit's entry for ended maintenance. */
export const stoppedField: FieldChange = { field: 'Maintenance', old: true, new: null };

/** A Start may lie this much in the past, because clocks differ and requests travel. */
const lateStartUs = minuteUs;
const farthestUs = 366 * dayUs;

function startProblem(startUs: number, nowUs: number): string | undefined {
  if (startUs < nowUs - lateStartUs) return 'must not lie in the past; leave it out to start now';
  return startUs > nowUs + farthestUs ? 'must lie within a year from now' : undefined;
}

/** Finds the device that a path names, with its id. */
const maintainedSubject = {
  what: deviceSubject.what,
  find: async (session: Session, params: Readonly<Record<string, string>>, db: Db) => {
    const device = await deviceSubject.find(session, params, db);
    return device && { deviceNo: device.device_no, id: params['device_id'] ?? '' };
  },
};

/** Starting and stopping the maintenance of one device. */
export function maintenanceRoutes({
  clock,
  catalog,
  maintenance,
}: {
  readonly clock: Clock;
  readonly catalog: Catalog;
  readonly maintenance: DeviceMaintenance;
}): Route[] {
  const subject = maintainedSubject;
  const read = createDeviceReader({ clock });
  const shared = {
    method: 'PUT',
    level: 'UO',
    tag: 'Maintenance',
    subject,
    response: deviceFull,
    names: { root: 'device', id: 'device_id' },
    limitedCallers: 'permitted',
  } as const;
  return [
    route({
      ...shared,
      path: '/devices/{device_id}/start-maintenance',
      summary: 'Starts maintenance, or sets a new end of the running one. Checks continue, alerts do not.',
      body: maintenanceStart,
      handler: async ({ db, session, subject: { deviceNo, id }, body }) => {
        const { accountNo } = session;
        const nowUs = clock.nowUs();
        const asked = { ...readMaintenance(body, session, nowUs), maintenanceId: newId() };
        await changeElsewhere(db, catalog, session, async (open) => {
          await maintenance.startMaintenance(open, { accountNo, deviceNo, ...asked });
          const fields = [startedField(asked, session.zone, nowUs)];
          return { action: 'update', kind: 'device', id, fields };
        });
        return read(db, session, deviceNo, false);
      },
    }),
    route({
      ...shared,
      path: '/devices/{device_id}/stop-maintenance',
      summary: 'Ends all current maintenance; the state is what checks say.',
      handler: async ({ db, session, subject: { deviceNo, id } }) => {
        const { accountNo } = session;
        await changeElsewhere(db, catalog, session, async (open) => {
          const ended = await maintenance.stopMaintenance(open, { accountNo, deviceNo });
          return ended > 0 ? { action: 'update', kind: 'device', id, fields: [stoppedField] } : undefined;
        });
        return read(db, session, deviceNo, false);
      },
    }),
  ];
}
