import { count } from '../../model/format.ts';
import { devicesOf, listed } from '../../texts/counted.ts';

const perMinute = (checks: number) => (checks < 10 ? checks.toFixed(1) : count(Math.round(checks)));

/** Texts of changes of many devices. */
export const bulkTexts = {
  selection: 'Selected devices',
  selected: (n: number) => `${devicesOf(n)} selected`,
  outside: (n: number) => `${count(n)} of them no longer ${n === 1 ? 'matches' : 'match'} the filter`,
  allMatching: (n: number) => `All ${count(n)} that match`,
  buttons: {
    maintenance: 'Maintenance',
    pause: 'Pause',
    resume: 'Resume',
    tags: 'Tags',
    settings: 'Change …',
    remove: 'Delete',
  },
  title: {
    maintenance: (n: number) => `Maintenance of ${devicesOf(n)}`,
    pause: (n: number) => `Pause ${devicesOf(n)}`,
    resume: (n: number) => `Resume ${devicesOf(n)}`,
    tags: (n: number) => `Tags of ${devicesOf(n)}`,
    settings: (n: number) => `Change ${devicesOf(n)}`,
    remove: (n: number) => `Delete ${devicesOf(n)}`,
  },
  ask: {
    maintenance: '',
    pause: 'They are not checked, and no contact is notified, until they are resumed.',
    resume: 'They are checked again.',
    tags: '',
    settings: '',
    remove: 'They are deleted with their checks and events.',
  },
  act: {
    maintenance: (n: number, act: 'start' | 'plan' | 'end') =>
      `${{ start: 'Start', plan: 'Plan', end: 'End' }[act]} maintenance of ${devicesOf(n)}`,
    pause: (n: number) => `Pause ${devicesOf(n)}`,
    resume: (n: number) => `Resume ${devicesOf(n)}`,
    tags: (n: number) => `Change the tags of ${devicesOf(n)}`,
    settings: (n: number) => `Change ${devicesOf(n)}`,
    remove: (n: number) => `Delete ${devicesOf(n)}`,
  },
  fields: {
    unchanged: 'as it is',
    unchangedHint: 'Empty: as it is.',
    frequency: 'Check every',
    every: (value: string) => (value.endsWith('s') ? `${value.slice(0, -1)} s` : `${value} min`),
    severity: 'Severity',
    timeout: 'Timeout, seconds',
    attempts: 'Failed checks before it is Down',
    retryDelay: 'Wait before a retry, seconds',
    wholeNumber: ([least, most]: readonly [number, number]) => `A whole number from ${least} to ${most}.`,
    nschedule: 'Notification schedule',
    mschedule: 'Maintenance schedule',
    defaultSchedule: "the account's default",
    noSchedule: 'none',
    master: 'Master',
    masterHint: 'A device by its name, or “none”. Empty: as it is.',
    noSuchDevice: (name: string) => `No device, or more than one, has the name ${name}.`,
    locations: 'Locations',
    defaultLocations: 'the default Locations',
    theseLocations: 'these:',
    noLocation: 'No Location is chosen: the devices are not checked.',
    maintenance: 'Maintenance',
    start: 'Start it',
    startAt: 'Start',
    startHint: (zone: string) => `empty: now; in the time zone ${zone}`,
    end: 'End what runs',
    addTags: 'Add tags',
    removeTags: 'Remove tags',
    tagsHint: 'Separated by commas; a path makes a branch: berlin/rack-3.',
    sameTag: 'A tag cannot be added and removed at once.',
  },
  facts: {
    devices: 'Devices',
    chosen: (n: number, filter: string | undefined) =>
      filter === undefined ? `${count(n)} chosen` : `${count(n)} that match ${filter}`,
    now: 'Now',
    states: (down: number, maintenance: number) =>
      [
        down === 0 ? 'none is Down' : `${count(down)} Down`,
        maintenance === 0 ? '' : `${count(maintenance)} in maintenance`,
      ]
        .filter((part) => part !== '')
        .join(', '),
    load: 'Load',
    checks: (before: number, after: number) =>
      `from ${perMinute(before)} to ${perMinute(after)} checks a minute`,
    tags: 'New tags',
    newTags: (names: readonly string[]) => `${listed(names)} ${names.length === 1 ? 'is' : 'are'} created`,
    unchanged: 'Not changed',
    same: (n: number) => (n <= 0 ? '' : `${devicesOf(n)} already as wanted`),
    gone: 'Gone',
    deleted: (n: number) => (n <= 0 ? '' : `${devicesOf(n)} deleted meanwhile`),
    refused: 'Refused',
  },
  refusedRow: (name: string, reason: string) => `${name}: ${reason}`,
  more: (n: number) => `And ${count(n)} more.`,
  sources: (n: number, names: readonly string[]) =>
    `Change also the ${devicesOf(n)} that ${listed(names)} ${names.length === 1 ? 'manages' : 'manage'}. The next apply of ${names.length === 1 ? 'that file' : 'those files'} sets them back.`,
  typeCount: (n: number) => `Type ${n} to delete them`,
  undo: 'Undo',
  undoHint: 'You can undo it for 10 s afterwards.',
  plannedHint: 'Until it starts, you can cancel it in the calendar of maintenance.',
  noUndo: 'This cannot be undone.',
  changing: (done: number, total: number) => `${count(done)} of ${count(total)}`,
  done: (n: number, refused: number, reason = '') =>
    `${devicesOf(n)} changed${refused > 0 ? `, ${count(refused)} refused: ${reason}` : ''}`,
  undone: (n: number) => `The change of ${devicesOf(n)} is undone`,
  notUndone: (why: string) => `The change could not be undone: ${why}`,
} as const;
