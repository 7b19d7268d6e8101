import { checkId, dayUs } from '@vantage/domain';
import type { Point } from '../observation.ts';
import { causedBy, type OfDevice } from './event-kind.ts';

/** A warning that a check decided. */
interface OfCheck extends OfDevice {
  readonly check: Point;
  readonly locationNo: number;
  /** The check's end. */
  readonly atUs: number;
}

/** The good checks of a device became slow, or fast again. */
interface OfSpeed extends OfCheck {
  /** The duration of the check. */
  readonly requestMs: number;
}

/** A thing that expires. */
export type ExpiringThing = 'certificate' | 'domain';

export const warningEvents = {
  'device-slow': causedBy<OfSpeed>()({
    types: ['Slow'],
    changesAlerts: true,
    row: (cause) => ({ type: 'Slow', ...warningRow(cause) }),
    text: ({ requestMs }) => `Slow: several checks in a row took long, the last one ${requestMs} ms`,
  }),
  'device-fast': causedBy<OfSpeed>()({
    types: ['Fast'],
    changesAlerts: true,
    row: (cause) => ({ type: 'Fast', ...warningRow(cause) }),
    text: ({ requestMs }) => `No longer slow: the last check took ${requestMs} ms`,
  }),
  /** A check found a certificate or the registration of a domain that expires soon, at `notAfterUs`. */
  'certificate-expiring': causedBy<OfCheck & { readonly notAfterUs: number; readonly what: ExpiringThing }>()(
    {
      types: ['CertificateExpiring'],
      changesAlerts: true,
      row: (cause) => ({ type: 'CertificateExpiring', ...warningRow(cause) }),
      text: (cause) => `The ${cause.what} ${expiryText(cause)}`,
    },
  ),
};

/** The columns of a warning that a check decided. */
function warningRow({ deviceNo, check, atUs }: OfCheck) {
  return { status: 'Up' as const, at_us: atUs, check_id: checkId({ deviceNo, ...check }) };
}

/** `expires in 13 days, at 2026-12-05T10:00:00Z`. */
function expiryText({ atUs, notAfterUs }: { readonly atUs: number; readonly notAfterUs: number }): string {
  const days = Math.floor(Math.abs(notAfterUs - atUs) / dayUs);
  const count = `${days} ${days === 1 ? 'day' : 'days'}`;
  const end = `at ${new Date(notAfterUs / 1000).toISOString().replace('.000', '')}`;
  return notAfterUs > atUs ? `expires in ${count}, ${end}` : `expired ${count} ago, ${end}`;
}
