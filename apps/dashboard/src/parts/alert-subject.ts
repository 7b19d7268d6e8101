import { devices } from '../store/account-state.ts';
import type { Alert } from '../store/alerts.ts';
import type { MarkName } from './mark.tsx';

/** Alerts whose text says what they are about. */
const noSubject: ReadonlySet<string> = new Set([
  'contact.failing',
  'late.summary',
  'clock.wrong',
  'disk.low',
  'backup.old',
  'database.back',
  'certificate.failing',
  'key.missing',
]);

/** Of what an alert is: the device, or the Location. */
export function subjectOf({ device_id, ShortName, Location, Kind }: Alert): string {
  if (noSubject.has(Kind)) return '';
  const device = device_id === null ? undefined : devices.value.get(device_id);
  return device?.name ?? ShortName ?? Location ?? '';
}

/** The mark of what an alert is about. */
export function markOf({ Kind }: Alert): MarkName {
  if (Kind === 'device.down' || Kind === 'device.flapping' || Kind === 'anchor.down') return 'Down';
  if (Kind === 'device.partial') return 'Partial';
  if (Kind === 'location.offline' || Kind === 'agent.fenced') return 'Offline';
  if (Kind === 'contact.failing') return 'Failed';
  return 'Other';
}
