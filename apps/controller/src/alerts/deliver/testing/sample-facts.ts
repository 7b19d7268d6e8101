import type { Json } from '@vantage/domain';
import type { Notice } from '../../channels/channel.ts';

const day = '2026-11-22T';
/** A moment of the day of the samples. */
export const at = (clock: string) => `${day}${clock}+01:00`;
export const page = 'https://vantage.example.org/links/';
export const links = {
  acknowledge: `${page}acknowledge…`,
  snooze: `${page}snooze…`,
  details: `${page}details…`,
};

/** The part of a sample that differs from the others. */
export interface Given {
  readonly clock: string;
  readonly data: { readonly [name: string]: Json };
  readonly links?: Notice['links'];
}

/** A notice of the account of the samples. */
export function notice(kind: string, { clock, data, links: given = null }: Given): Notice {
  return {
    kind,
    timestamp: at(clock),
    composed: at(clock),
    timezone: 'Europe/Berlin',
    data: { alert_id: 'a1'.repeat(24), ...data },
    links: given,
    day: null,
  };
}

export const web = {
  device_id: 'd1'.repeat(24),
  ShortName: 'web',
  FullName: 'Web shop',
  Method: 'HTTP',
  URL: 'https://shop.example.org/',
  Severity: 'critical',
  Master: null,
  Reason: null,
};
export const since = at('08:28:06');
export const down = {
  ...web,
  Status: 'Down',
  Since: since,
  Location: 'Hamburg',
  CheckResult: 'no answer within 10 s',
  AlertKind: 'device.down',
  Began: since,
  Cause: 'no answer within 10 s',
  FailingLocations: ['Hamburg', 'Oslo'],
  Trace: { Hops: 5, LastHop: '192.0.2.1', Reached: false, Location: 'Hamburg' },
  Nearby: [{ Count: 12, What: 'Location', Name: 'Hamburg' }],
};
export const router = {
  ...down,
  ShortName: 'router',
  FullName: 'Router of Hamburg',
  Method: 'PING',
  URL: 'router.example.org',
  Behind: { Count: 30, Suppressed: 28, Names: ['db1', 'db2', 'mail', 'printer', 'web2'] },
};
export const up = {
  ...web,
  Status: 'Up',
  Since: at('08:52:06'),
  DownSince: since,
  Seconds: 1_440,
  Location: 'Hamburg',
  CheckResult: 'HTTP 200',
  AlertKind: 'device.down',
  Began: since,
  Cause: 'no answer within 10 s',
};
export const flapping = {
  ...web,
  AlertKind: 'device.down',
  Began: at('08:20:00'),
  Cause: 'connection refused',
  Outages: 4,
  Seconds: 540,
  Since: at('08:12:00'),
  Location: 'Hamburg',
  CheckResult: 'connection refused',
};
export const port = {
  ...web,
  ShortName: 'ber-sw-04',
  FullName: 'Berlin switch 4',
  Method: 'SNMP',
  URL: 'snmp://192.0.2.4',
  Interface: 'ge-0/0/17',
  Alias: 'uplink hall 2',
  WatchedBy: 'ge-0/0/17',
  Status: 'Up',
  Since: since,
  Location: 'Hamburg',
  CheckResult: 'ge-0/0/17 “uplink hall 2” is Down',
  AlertKind: 'interface.down',
  Began: since,
  Cause: 'ge-0/0/17 “uplink hall 2” is Down',
};
export const location = {
  Location: 'Hamburg',
  Severity: 'critical',
  AlertKind: 'location.offline',
  Began: since,
};
export const anchor = {
  Name: 'gateway',
  Target: '192.0.2.1',
  Location: 'Hamburg',
  Severity: 'critical',
  AlertKind: 'anchor.down',
  Began: since,
  Cause: 'no answer to two checks',
};
export const wrongClock = {
  Name: 'the controller',
  Severity: 'warning',
  AlertKind: 'clock.wrong',
  Began: since,
  Cause: 'the clock of this machine is 60 days ahead of the clock of the database',
};
export const fullDisk = {
  ...wrongClock,
  AlertKind: 'disk.low',
  Cause: 'the disk of /var/lib/vantage/postgres is nearly full: 412 of 20033 MiB are free',
};
export const oldBackup = {
  ...wrongClock,
  AlertKind: 'backup.old',
  Cause: 'the newest backup that was verified is 3 days old',
};
export const rewoundDatabase = {
  ...wrongClock,
  AlertKind: 'database.back',
  Cause:
    'the database went back: what was stored from 2026-03-03 07:20 UTC to 2026-03-03 07:28 UTC is lost, besides what agents send again',
};
export const refusedCertificate = {
  ...wrongClock,
  AlertKind: 'certificate.failing',
  Cause: 'the certificate of the REST port ends on 2026-03-10 12:00 UTC',
};
export const missingKey = {
  ...wrongClock,
  AlertKind: 'key.missing',
  Cause: 'the key file is missing: no controller can start, and no backup can be made',
};
export const contact = {
  Contact: 'noc-sms',
  Severity: 'warning',
  AlertKind: 'contact.failing',
  Began: since,
  Cause: 'HTTP 401 Unauthorized',
};
