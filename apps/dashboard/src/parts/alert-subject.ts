import { devices } from '../store/account-state.ts';
import type { Alert } from '../store/alerts.ts';
import { alertTexts } from '../texts/alert-texts.ts';
import type { IconName } from './icon.tsx';

/** Alerts whose kind already names their subject. */
const noSubject: ReadonlySet<string> = new Set([
  'late.summary',
  'clock.wrong',
  'disk.low',
  'backup.old',
  'database.back',
  'certificate.failing',
  'key.missing',
]);

/** The name of the device or Location of an alert; '' where its kind names the subject. */
export function subjectOf({ device_id, FullName, ShortName, Location, Kind, Contact }: Alert): string {
  if (noSubject.has(Kind)) return '';
  if (Kind === 'contact.failing') return Contact ?? '';
  const device = device_id === null ? undefined : devices.value.get(device_id);
  return device?.name ?? FullName ?? ShortName ?? Location ?? '';
}

/** The words of an alert after its subject. */
export function predicateOf(alert: Alert): string {
  const isNamed = alert.Kind === 'contact.failing' && subjectOf(alert) !== '';
  return isNamed ? alertTexts.contactFailing : alertTexts.kinds[alert.Kind];
}

/** The icon for the subject of an alert. */
export function iconOf({ Kind }: Alert): IconName {
  if (Kind === 'device.down' || Kind === 'device.flapping' || Kind === 'anchor.down') return 'Down';
  if (Kind === 'device.partial' || Kind === 'interface.down') return 'Partial';
  if (Kind === 'location.offline' || Kind === 'agent.fenced') return 'Offline';
  if (Kind === 'contact.failing') return 'Failed';
  return 'Other';
}
