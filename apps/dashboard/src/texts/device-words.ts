import { dayParts } from '../model/day.ts';
import { count } from '../model/format.ts';

/** Texts about devices and Locations, on several screens. */
export const deviceWords = {
  stillLoading: 'Devices are still loading …',
  add: 'Add a device',
  addMany: 'Add many devices',
  empty: 'There are no devices yet.',
  noRights: 'You can view, not change. Changing devices needs a key or person of level UW.',
  location: 'Location',
  noAgent: 'no agent is connected',
  for: 'for',
  maintenance: 'Maintenance',
  report: 'Report',
  history: 'History',
  states: {
    Up: 'Up',
    Down: 'Down',
    Maint: 'Maint',
    Unknown: 'Unknown',
    Retrying: 'Retrying',
    Partial: 'Partial',
    Paused: 'Paused',
    Offline: 'Offline',
  },
  every: (seconds: number) => {
    if (seconds < 60) return `every ${seconds} seconds`;
    return seconds === 60 ? 'every minute' : `every ${seconds / 60} minutes`;
  },
  dayOf: (parts: number) =>
    parts === 0
      ? 'not Down in the last 24 hours'
      : `Down within ${count(parts)} of the last ${dayParts} periods of 20 minutes`,
  rowKeys: {
    noAlert: (name: string) => `${name} has no open alert.`,
    acknowledged: (name: string) => `The alert of ${name} is acknowledged.`,
    snoozed: (name: string) => `The alert of ${name} is snoozed for 1 h.`,
    checking: (name: string) => `${name} is being checked.`,
    checked: (name: string, result: string) => `${name}: ${result}`,
  },
  unknownField: (words: string) => `The filter does not know ${words}`,
  copies: {
    duplicate: 'Duplicate',
    copyAs: 'Copy as…',
    title: (name: string) => `Settings of ${name}`,
    yaml: 'YAML for vantage apply',
    yamlHint: 'A file for ./vantage apply -f FILE. Settings with their default are left out.',
    curl: 'Request for a shell',
    secretsHint: `Secrets are shown as ***. Replace them by their values, or write \${secret:NAME}.`,
  },
  maintenanceDialog: {
    title: (name: string) => `Start maintenance: ${name}`,
    hint: 'Until then the device is checked, and no contact is notified.',
    duration: 'For',
    reason: 'Reason',
    durations: [
      ['00:30', '30 minutes'],
      ['01:00', '1 hour'],
      ['02:00', '2 hours'],
      ['08:00', '8 hours'],
      ['24:00', '24 hours'],
    ] as const,
    start: 'Start maintenance',
  },
} as const;
