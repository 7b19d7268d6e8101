import { type MessageSample, singleSample } from './message-sample.ts';
import {
  at,
  fullDisk,
  missingKey,
  oldBackup,
  refusedCertificate,
  rewoundDatabase,
  since,
  wrongClock,
} from './sample-facts.ts';

/** The start and the end of an alert about the installation itself. */
function ofInstallation(facts: typeof wrongClock, begins: string, ends: string): MessageSample[] {
  const { AlertKind: kind, Cause } = facts;
  return [
    singleSample(kind, begins, kind, {
      clock: '08:28:11',
      data: { ...facts, Status: 'Unknown', Since: since, CheckResult: Cause },
    }),
    singleSample(`${kind}, its end`, ends, kind, {
      clock: '09:10:00',
      data: {
        ...facts,
        Status: 'Up',
        Since: at('09:09:58'),
        DownSince: since,
        Seconds: 2_512,
        CheckResult: null,
        Recovered: true,
      },
    }),
  ];
}

/** The alerts about the installation, each with its start and its end. */
export const installationSamples: readonly MessageSample[] = [
  ...ofInstallation(
    wrongClock,
    "A controller's clock and others disagree by more than a minute.",
    'The clocks agree again.',
  ),
  ...ofInstallation(
    fullDisk,
    'The disk of the data folder, or of the embedded database, is nearly full.',
    'There is room again.',
  ),
  ...ofInstallation(
    oldBackup,
    'The newest backup is older than VANTAGE_BACKUP_MAX_DAYS, or there is none.',
    'There is a new backup.',
  ),
  ...ofInstallation(
    rewoundDatabase,
    'A failover or a restore took the database back in time.',
    'An hour passed since.',
  ),
  ...ofInstallation(
    refusedCertificate,
    'The certificate of the REST port ends soon, or its new files cannot be used.',
    'The certificate is renewed.',
  ),
  ...ofInstallation(
    missingKey,
    'The key file is missing, cannot be read, or holds another key.',
    'The key file is there again.',
  ),
];
