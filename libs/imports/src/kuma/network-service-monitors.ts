import type { TargetOrReason } from '../found-check.ts';
import { hostPort } from '../values/host-port.ts';
import type { KumaMonitor } from './kuma-monitor.ts';

// Kuma's monitors of services over UDP.

/** Kuma fails at its limits, and not only beyond them. It has defaults for all of them. */
export function ntpTarget(monitor: KumaMonitor): TargetOrReason {
  const host = monitor.text('hostname');
  if (host === undefined) return 'has no host';
  const port = monitor.number('port');
  const stratum = monitor.number('ntp_stratum_threshold') ?? 5;
  return {
    method: 'NTP',
    url: hostPort(host, port === 123 ? undefined : port),
    options: {
      MaxStratum: Math.min(15, Math.max(1, stratum - 1)),
      MaxOffsetMs: monitor.number('ntp_time_offset_threshold') ?? 1000,
      MaxRootDispersionMs: monitor.number('ntp_root_dispersion_threshold') ?? 500,
    },
  };
}

/** Kuma does not look for a Message-Authenticator, and a server of its user may have none. */
export function radiusTarget(monitor: KumaMonitor): TargetOrReason {
  const host = monitor.text('hostname');
  if (host === undefined) return 'has no host';
  const port = monitor.number('port');
  return {
    method: 'RADIUS',
    url: hostPort(host, port === 1812 ? undefined : port),
    options: {
      Secret: monitor.text('radius_secret'),
      User: monitor.text('radius_username'),
      Password: monitor.text('radius_password'),
      CalledStationId: monitor.text('radius_called_station_id'),
      CallingStationId: monitor.text('radius_calling_station_id'),
      RequireMessageAuthenticator: false,
    },
  };
}

/** Kuma's sipsak is content with 200 OK. */
export function sipTarget(monitor: KumaMonitor): TargetOrReason {
  const host = monitor.text('hostname');
  if (host === undefined) return 'has no host';
  const port = monitor.number('port');
  return {
    method: 'SIP',
    url: hostPort(host, port === 5060 ? undefined : port),
    options: { ExpectStatus: ['200'] },
  };
}
