import { type BaseStatus, checkId, type DeviceStatus } from '@vantage/domain';
import type { FoldEvent } from '../fold-step.ts';
import type { Point } from '../observation.ts';
import { causedBy, type OfDevice } from './event-kind.ts';

export const deviceEvents = {
  /** A user created a device. */
  'device-created': causedBy<OfDevice & { readonly deviceName: string }>()({
    types: ['Created'],
    changesAlerts: false,
    row: () => ({ type: 'Created', status: 'Unknown' }),
    text: ({ deviceName }) => `${deviceName} was created`,
  }),
  /** A user deleted a device. The event outlives the device, so it keeps its names and tags. */
  'device-deleted': causedBy<
    OfDevice & {
      readonly deviceId: string;
      readonly deviceName: string;
      readonly fullName: string | null;
      readonly tagNos: number[];
    }
  >()({
    types: ['Deleted'],
    changesAlerts: false,
    row: ({ deviceNo, deviceId, deviceName, fullName, tagNos }) => ({
      type: 'Deleted',
      status: 'Unknown',
      device_no: null,
      gone_no: deviceNo,
      gone_id: deviceId,
      gone_short_name: deviceName,
      gone_full_name: fullName,
      gone_tag_nos: tagNos,
    }),
    text: ({ deviceName }) => `${deviceName} was deleted`,
  }),
  /** A user changed the settings of a device. `fields` are the REST names of the changed settings. */
  'device-changed': causedBy<
    OfDevice & {
      readonly deviceName: string;
      readonly status: DeviceStatus;
      readonly fields: readonly string[];
    }
  >()({
    types: ['Changed'],
    changesAlerts: true,
    row: ({ status }) => ({ type: 'Changed', status }),
    text: ({ deviceName, fields }) => `${deviceName} was changed: ${fields.join(', ')}`,
  }),
  /** A check changed the state of a device. */
  check: causedBy<
    OfDevice & {
      readonly event: FoldEvent;
      /** Names of the Locations in `event.failing`, in the same order. */
      readonly failingNames: readonly string[];
      /** The seconds for which users saw the status that ended; null if none ended. */
      readonly endedS: number | null;
      /** The event is recorded later than the rules for late results allow. */
      readonly isLate: boolean;
    }
  >()({
    types: ['Error', 'Recovered', 'Partial', 'Down', 'Up', 'Unknown'],
    changesAlerts: true,
    row: ({ deviceNo, event, endedS, isLate }) => ({
      type: event.type,
      status: event.status,
      at_us: event.atUs,
      location_no: event.locationNo,
      check_result: event.text,
      check_id: checkId({ deviceNo, ...event.cause }),
      duration_s: endedS,
      late: isLate,
    }),
    text: ({ event, failingNames }) => checkText(event, failingNames),
  }),
  /** Late results led to another status than that of the last recorded event. */
  correction: causedBy<
    OfDevice & {
      readonly status: BaseStatus;
      /** The last check that changed the state; null before the first. */
      readonly check: Point | null;
      readonly isLate: boolean;
    }
  >()({
    types: ['Up', 'Down', 'Unknown'],
    changesAlerts: true,
    row: ({ deviceNo, check, status, isLate }) => ({
      type: status,
      status,
      check_id: check === null ? null : checkId({ deviceNo, ...check }),
      late: isLate,
    }),
    text: ({ status }) => `Status corrected to ${status} by late results`,
  }),
  /** A user paused a device, and its status ended after `endedS` seconds. */
  'device-paused': causedBy<OfDevice & { readonly deviceName: string; readonly endedS: number }>()({
    types: ['Unknown'],
    changesAlerts: true,
    row: ({ endedS }) => ({ type: 'Unknown', status: 'Unknown', duration_s: endedS }),
    text: ({ deviceName }) => `${deviceName} was paused`,
  }),
};

function checkText({ type, text, endsPartial }: FoldEvent, failingNames: readonly string[]): string {
  switch (type) {
    case 'Error':
      return `First error, not yet confirmed: ${text}`;
    case 'Recovered':
      return endsPartial ? `Recovered at all Locations: ${text}` : `The retry succeeded: ${text}`;
    case 'Partial':
      return `Fails from ${failingNames.join(', ')} only`;
    case 'Down':
      return `Down: ${text}`;
    case 'Up':
      return `Up: ${text}`;
    case 'Unknown':
      return `Status unknown: ${text}`;
  }
}
