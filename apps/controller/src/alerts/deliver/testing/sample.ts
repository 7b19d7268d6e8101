import type { NewNotification } from '@vantage/alerts';

/** A notification of a device that went down, for tests. */
export const sampleNotification: NewNotification = {
  accountNo: 1,
  contactNo: 1,
  alertNo: null,
  orderKey: 'device:1',
  kind: 'device.down',
  severity: 'critical',
  data: {
    alert_id: 'a'.repeat(48),
    device_id: 'd'.repeat(48),
    ShortName: 'web',
    FullName: 'Web server',
    Method: 'HTTP',
    URL: 'https://www.example.org/',
    Status: 'Down',
    Since: 1_795_000_000_000_000,
    CheckResult: 'HTTP 500',
    Location: 'Oslo',
    check_id: 'c'.repeat(48),
    Master: null,
    Severity: 'critical',
    Reason: null,
  },
  atUs: 1_795_000_000_000_000,
};
