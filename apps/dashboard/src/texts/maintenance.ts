import { count } from '../model/format.ts';
import { devicesOf } from './counted.ts';

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
  say: 'Devices in maintenance are checked and notify nobody.',
  views: { day: 'Day', week: 'Week', month: 'Month' },
  today: 'Today',
  before: 'Earlier',
  after: 'Later',
  add: 'New window',
  none: 'No maintenance is running or planned in this time.',
  past: 'Past windows are in each device’s history.',
  calendar: 'Windows',
  devices: devicesOf,
  manual: 'by hand',
  bySchedule: (name: string) => `by the schedule ${name}`,
  running: 'runs now',
  planned: 'planned',
  untitled: 'Maintenance',
  drag: 'Or drag in the calendar to make a window.',
  moveTo: (time: string) => `Make a window at ${time} that day`,
  window: {
    span: (from: string, to: string) => `${from} to ${to}`,
    by: (name: string) => `asked for by ${name}`,
    more: (n: number) => `and ${count(n)} more`,
    end: 'End it now',
    cancel: 'Cancel this window',
    endHint: 'All of its devices leave it at once; other maintenance of them goes on.',
    cancelHint: 'Of a schedule only this one window is cancelled.',
    close: 'Close',
  },
  form: {
    title: 'New window',
    target: 'For',
    targets: { tag: 'all devices with a tag', device: 'one device' },
    tag: 'Tag',
    device: 'Device',
    search: 'Search a device',
    noTags: 'no tag',
    chooseTag: 'choose a tag…',
    chooseDevice: 'choose a device…',
    ofSchedule: (name: string) => `the devices of the schedule ${name}`,
    start: 'Start',
    startHint: (zone: string) => `empty: now; the clocks of ${zone}`,
    duration: 'Duration, HH:MM',
    reason: 'Reason',
    covers: (n: number, names: readonly string[]) =>
      n === 0 ? 'No device is chosen yet.' : `${devicesOf(n)}: ${names.join(', ')}`,
    quiet: 'If one fails during the window, these are not notified:',
    nobody: 'nobody would be notified anyway',
    conflict: (n: number, span: string, title: string) =>
      `${devicesOf(n)} of them ${n === 1 ? 'has' : 'have'} maintenance then already: ${title}, ${span}.`,
    replaces: 'This one takes its place.',
    make: (n: number) => (n === 0 ? 'Plan it' : `Plan it for ${devicesOf(n)}`),
    cancel: 'Cancel',
  },
  recurring: {
    title: 'Schedules of maintenance',
    add: 'New recurring maintenance',
    none: 'No maintenance recurs.',
    unused: 'no device has it',
    create: 'Make this schedule',
    remove: 'Delete this schedule',
    removeAsk: (name: string) =>
      `Delete the schedule ${name}? Its planned windows end. This cannot be undone.`,
    start: 'First window begins',
    startHint: 'on the clocks of the time zone below',
    duration: 'Duration, HH:MM',
    recurs: 'Recurs',
    kinds: {
      once: 'never: one window',
      daily: 'each day',
      weekly: 'each week',
      monthly: 'each month',
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
    give: 'Apply to all devices tagged',
    giveButton: 'Apply',
    given: (n: number) =>
      n === 0 ? 'No device was changed.' : `${devicesOf(n)} ${n === 1 ? 'has' : 'have'} it now.`,
    refused: (n: number, reason: string) => `${devicesOf(n)} refused it: ${reason}`,
  },
} as const;
