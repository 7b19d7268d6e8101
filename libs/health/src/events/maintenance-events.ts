import { type DeviceStatus, minuteUs } from '@vantage/domain';
import { causedBy, type OfDevice } from './event-kind.ts';

export const maintenanceEvents = {
  /** A user started or extended maintenance, or a planned window began at `atUs`. */
  'maintenance-start': causedBy<
    OfDevice & {
      readonly by: 'user' | 'schedule' | 'time';
      readonly atUs: number;
      /** As the user wrote it. */
      readonly reason: string | null;
      readonly isExtension: boolean;
      readonly durationUs: number;
      /** The seconds of the status before; null if the device already was in maintenance. */
      readonly endedS: number | null;
    }
  >()({
    types: ['MaintStart'],
    changesAlerts: false,
    row: ({ atUs, endedS }) => ({ type: 'MaintStart', status: 'Maint', at_us: atUs, duration_s: endedS }),
    text: ({ by, isExtension, durationUs, reason }) => {
      const planned = by === 'schedule' ? 'Scheduled maintenance' : 'Maintenance';
      const minutes = Math.round(durationUs / minuteUs);
      return `${planned}${isExtension ? ' continues' : ''} for ${minutes} min${reason === null ? '' : `: ${reason}`}`;
    },
  }),
  /** Maintenance ended after `endedS` seconds: a user stopped it, or its window ended at `atUs`. */
  'maintenance-end': causedBy<
    OfDevice & {
      readonly by: 'user' | 'time';
      /** The status that users see after the maintenance. */
      readonly status: DeviceStatus;
      readonly atUs: number;
      readonly endedS: number;
    }
  >()({
    types: ['MaintEnd'],
    changesAlerts: true,
    row: ({ status, atUs, endedS }) => ({ type: 'MaintEnd', status, at_us: atUs, duration_s: endedS }),
    text: ({ by }) => (by === 'user' ? 'Maintenance stopped' : 'Maintenance ended'),
  }),
};
