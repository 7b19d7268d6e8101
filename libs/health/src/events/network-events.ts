import { checkId, minuteUs, secondUs } from '@vantage/domain';
import type { Point } from '../observation.ts';
import type { InterfaceChange } from '../warnings/interface-states.ts';
import { causedBy, type OfDevice, secondsSince } from './event-kind.ts';

/** An event of a device that a check of SNMP found. */
interface OfDeviceCheck extends OfDevice {
  readonly check: Point;
  readonly locationNo: number;
  /** The check's end. */
  readonly atUs: number;
  /** By the results; users may see Maint. */
  readonly status: 'Up' | 'Down' | 'Unknown';
}

interface OfInterface extends OfDeviceCheck {
  readonly change: InterfaceChange;
  /** The interface makes the device Down, which has an alert of its own. */
  readonly isDeviceDown: boolean;
}

/** Events of network devices. */
export const networkEvents = {
  /** sysUpTime went back. */
  'device-restarted': causedBy<OfDeviceCheck & { readonly startedUs: number }>()({
    types: ['Restarted'],
    changesAlerts: false,
    row: (cause) => ({ type: 'Restarted', ...columnsOf(cause) }),
    text: ({ startedUs }) =>
      `Restarted: running since ${new Date(Math.round(startedUs / secondUs) * 1000).toISOString().replace('.000', '')}`,
  }),
  /** An agent received a trap or a line of syslog from the address of a device. */
  'trap-received': causedBy<
    OfDevice & {
      readonly locationNo: number;
      readonly atUs: number;
      readonly status: 'Up' | 'Down' | 'Unknown';
      readonly from: 'trap' | 'syslog';
      readonly text: string;
      readonly isLate: boolean;
    }
  >()({
    types: ['Trap'],
    changesAlerts: false,
    row: ({ status, atUs, isLate }) => ({ type: 'Trap', status, at_us: atUs, late: isLate }),
    text: noticeText,
  }),
  'interface-down': causedBy<OfInterface>()({
    types: ['InterfaceDown'],
    changesAlerts: true,
    row: (cause) => ({ type: 'InterfaceDown', ...columnsOf(cause) }),
    text: ({ change }) => interfaceText(change),
  }),
  /** It is up again, or no longer watched. */
  'interface-up': causedBy<OfInterface>()({
    types: ['InterfaceUp'],
    changesAlerts: true,
    row: (cause) => ({
      type: 'InterfaceUp',
      ...columnsOf(cause),
      duration_s: secondsSince(cause.change.sinceUs, cause.atUs),
    }),
    text: ({ change }) => interfaceText(change),
  }),
};

/** `Trap linkDown: ifIndex 3`, `Syslog error: fan 2 failed`. */
export function noticeText({
  from,
  text,
}: {
  readonly from: 'trap' | 'syslog';
  readonly text: string;
}): string {
  return `${from === 'trap' ? 'Trap' : 'Syslog'} ${text}`;
}

function columnsOf({ deviceNo, check, atUs, status }: OfDeviceCheck) {
  return { status, at_us: atUs, check_id: checkId({ deviceNo, ...check }) };
}

/** `Gi1/0/17 “uplink hall 2”`, one line. */
function interfaceName({ name, alias }: Pick<InterfaceChange, 'name' | 'alias'>): string {
  return alias === null || alias === '' || alias === name ? shown(name) : `${shown(name)} “${shown(alias)}”`;
}

/** The change as a sentence, without its time. */
export function interfaceText(change: InterfaceChange): string {
  const name = interfaceName(change);
  switch (change.kind) {
    case 'up':
      return `${name} is Up again`;
    case 'unwatched':
      return `${name} is no longer watched`;
    case 'down': {
      const minutes = Math.max(1, Math.round((change.sinceUs - change.firstUs) / minuteUs));
      const often = change.downs < 3 ? '' : `, ${change.downs} times within ${minutes} min`;
      return change.isMissing
        ? `${name} is Down: the device no longer has it${often}`
        : `${name} is Down${often}`;
    }
  }
}

const maxShown = 120;

/** Names come from the device. */
function shown(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > maxShown ? `${line.slice(0, maxShown - 1).toWellFormed()}…` : line;
}
