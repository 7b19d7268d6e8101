import { andMore, devicesOf } from '../../texts/counted.ts';

/** `02:00` as `2 h`, `00:45` as `45 min`. */
function hoursOf(duration: string): string {
  const [, hours = '', minutes = ''] = /^0*(\d+):(\d\d)/.exec(duration) ?? [];
  const parts = [
    hours === '0' ? '' : `${hours}\u00a0h`,
    minutes === '00' ? '' : `${Number(minutes)}\u00a0min`,
  ];
  return hours === '' ? duration : parts.filter((part) => part !== '').join(' ');
}

/** Texts of the screens about maintenance. */
export const maintenanceTexts = {
  title: 'Maintenance',
  say: 'Devices in maintenance are checked, and no contact is notified.',
  views: { day: 'Day', week: 'Week', month: 'Month' },
  today: 'Today',
  before: 'Earlier',
  after: 'Later',
  add: 'New window',
  none: 'There is no maintenance in this time.',
  past: 'Windows that ended more than 61 days ago are in each device’s history.',
  calendar: 'Windows',
  devices: devicesOf,
  manual: 'planned by a person',
  bySchedule: (name: string) => `by the schedule ${name}`,
  clockChange: {
    missing: (from: string, to: string) => `${from}–${to} is skipped`,
    second: (from: string, to: string) => `${from}–${to} again`,
  },
  stages: { past: 'over', running: 'running now', planned: 'planned' },
  untitled: 'Maintenance',
  drag: 'Or drag in the calendar to plan a window.',
  moveTo: (time: string) => `Plan a window at ${time} that day`,
  window: {
    span: (from: string, to: string) => `${from} to ${to}`,
    by: (name: string) => `requested by ${name}`,
    more: andMore,
    end: 'End it now',
    cancel: 'Cancel this window',
    endHint: 'It ends at once for all of its devices. Their other maintenance continues.',
    cancelHint: 'Of a schedule, only this one window is cancelled.',
    close: 'Close',
  },
  form: {
    title: 'New window',
    target: 'For',
    targets: {
      tag: 'a tag or a branch',
      filter: 'a filter',
      devices: 'chosen devices',
    },
    tag: 'Tag',
    filter: 'Filter',
    filterHint: 'As in the list of devices, for example method:ping berlin',
    devices: 'Devices',
    search: 'Find a device',
    noTags: 'no tag',
    chooseTag: 'choose a tag…',
    noMatch: 'No device matches the filter.',
    ofSchedule: (name: string) => `the devices of the schedule ${name}`,
    start: 'Start',
    startHint: (zone: string) => `empty: now; in the time zone ${zone}`,
    duration: 'Duration, HH:MM',
    reason: 'Reason',
    covers: (n: number, names: readonly string[]) =>
      n === 0 ? 'No device is chosen yet.' : `${devicesOf(n)}: ${names.join(', ')}`,
    quiet: 'If one fails during the window, these are not notified:',
    noneAnyway: 'no one would be notified anyway',
    conflict: (n: number, span: string, title: string) =>
      `${devicesOf(n)} of them already ${n === 1 ? 'has' : 'have'} maintenance at that time: ${title}, ${span}.`,
    replaces: 'This window replaces it.',
    leaves: (n: number, span: string, title: string) =>
      `${devicesOf(n)} of them ${n === 1 ? 'leaves' : 'leave'} another planned window: ${title}, ${span}. A device has one planned window at a time.`,
    make: (n: number) => (n === 0 ? 'Plan it' : `Plan it for ${devicesOf(n)}`),
    cancel: 'Cancel',
  },
  recurring: {
    title: 'Recurring maintenance',
    add: 'New recurring maintenance',
    none: 'There is no recurring maintenance.',
    unused: 'no device has it',
    create: 'Create this schedule',
    remove: 'Delete this schedule',
    removeAsk: (name: string) =>
      `Delete the schedule ${name}? Its planned windows are cancelled. This cannot be undone.`,
    start: 'First window starts',
    startHint: 'in the time zone below',
    duration: 'Duration, HH:MM',
    recurs: 'Recurs',
    kinds: {
      once: 'never: one window',
      daily: 'every day',
      weekly: 'every week',
      monthly: 'every month',
      rule: 'by a rule of RFC 5545',
    },
    days: 'Days',
    daysHint: 'none: the day of the first window',
    dayOfMonth: 'Day of the month',
    dayOfMonthHint: 'empty: the day of the first window',
    rule: 'Rule',
    ruleHint: 'for example FREQ=MONTHLY;BYDAY=1SU',
    endOnFirstOk: 'A window ends at the first good check after a bad one',
    dates: 'Its next windows',
    noAnswer: 'There is no answer yet:',
    words: {
      once: 'once',
      daily: 'each day',
      weekly: (days: string) => (days === '' ? 'each week' : `each ${days}`),
      monthly: (day: string) => (day === '' ? 'each month' : `on day ${day} of each month`),
      at: (time: string, duration: string) => `at ${time} for ${hoursOf(duration)}`,
    },
    users: 'Its devices',
    apply: 'Apply to all devices tagged',
    applyButton: 'Apply',
    applied: (n: number) =>
      n === 0 ? 'No device was changed.' : `${devicesOf(n)} ${n === 1 ? 'has' : 'have'} it now.`,
    refused: (n: number, reason: string) => `${devicesOf(n)} refused it: ${reason}`,
  },
} as const;
