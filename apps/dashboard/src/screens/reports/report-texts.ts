import { countingRules, devicesSubject, previousSentence, subjectSentence } from '@vantage/domain/report';
import { count } from '../../model/format.ts';
import { devicesOf } from '../../texts/counted.ts';

const spanWord = { month: 'month', quarter: 'quarter', days: 'span' } as const;
type ReportKind = keyof typeof spanWord;

/** Texts of the reports on the page, those of the mail are in the domain. */
export const reportTexts = {
  title: 'Reports',
  kinds: { month: 'Month', quarter: 'Quarter', days: 'Other days' },
  before: (kind: ReportKind) => `Previous ${spanWord[kind]}`,
  after: (kind: ReportKind) => `Next ${spanWord[kind]}`,
  first: 'From',
  last: 'To, included',
  show: 'Show',
  wrongDays: 'The first day must not be after the last one. A report covers at most 1,830 days.',
  which: 'Devices',
  whichHint: 'all, or tag:berlin/* method:ping "text"',
  chosen: (n: number) => `${devicesOf(n)} chosen`,
  all: 'All devices',
  objective: 'Objective, %',
  objectiveHint: '99.9',
  wrongObjective: 'An objective is a percentage with up to three decimals, for example 99.9.',
  csv: 'CSV',
  csvName: (span: string) => `uptime-${span}.csv`,
  print: 'Print',
  link: 'Copy link',
  copied: 'Copied',
  names: {
    everything: (n: number) => devicesSubject(n, true),
    some: (n: number) => devicesSubject(n, false),
  },
  was: subjectSentence,
  /** `time` is “October 2026” or “the time from 1 to 14 October 2026”. */
  future: (time: string) => `${time.charAt(0).toUpperCase()}${time.slice(1)} has not begun`,
  span: (first: string, last: string, zone: string) => `${first} to ${last}, ${zone}`,
  hours: (hours: number) => `${count(hours)}\u00a0h`,
  until: (time: string) => `until now, ${time}`,
  clocks: (changes: string) => `clock changes: ${changes}`,
  changedDay: (day: string, hours: number) => `${day} had ${hours}\u00a0h`,
  ofDevices: devicesOf,
  sums: {
    uptime: 'Uptime, of the time observed',
    outages: 'Outages',
    down: 'Total downtime',
    longest: 'Longest outage',
    observed: 'Observed',
    maintenance: 'In maintenance',
    unknown: 'Unknown',
    excluded: 'Excluded',
  },
  previous: previousSentence,
  days: {
    title: (isByDay: boolean) => (isByDay ? 'By day' : 'By month'),
    column: (isByDay: boolean) => (isByDay ? 'Day' : 'Month'),
    hint: (isByDay: boolean, longest: string | undefined) =>
      `${
        longest === undefined
          ? 'No device was Down.'
          : `Bars: time Down of all devices together, at most ${longest} in a ${isByDay ? 'day' : 'month'}.`
      } Strip below: the part that was not observed.`,
    words: (name: string, down: string, unseen: string) => `${name}: Down ${down}, not observed ${unseen}`,
    unseen: 'Not observed',
    table: 'As a table',
  },
  groups: 'By group, worst first',
  groupHint: 'A device with several tags counts in each of them.',
  devices: 'By device, worst first',
  untagged: 'without a tag',
  columns: {
    tag: 'Tag',
    device: 'Device',
    uptime: 'Uptime, of the time observed',
    observed: 'Observed',
    outages: 'Outages',
    down: 'Down',
    maintenance: 'Maint',
    unknown: 'Unknown',
    excluded: 'Excluded',
    left: 'Left',
    bar: 'Status over the span',
  },
  over: (time: string) => `${time} over`,
  outages: 'Outages, longest first',
  unseen: (n: number) =>
    `${count(n)} of them ${n === 1 ? 'is' : 'are'} not counted above: within the span, ${n === 1 ? 'its' : 'their'} time was not observed or was in maintenance.`,
  noOutages: 'No outage counts in this span.',
  isCut: (n: number) =>
    `The list has the newest ${count(n)} outages of the account; the figures above count all.`,
  excludedOutages: 'Excluded outages',
  excludedSay: 'These were excluded by a person. Their time counts neither as Up nor as Down.',
  outageColumns: { began: 'Began', lasted: 'Lasted', device: 'Device', cause: 'Cause as observed, and note' },
  isOpen: 'still open',
  noCause: 'its cause is no longer known',
  allOutages: 'All outages on one axis, with filters',
  noNote: 'no note',
  note: (text: string) => `“${text}”`,
  behind: (n: number) => `${devicesOf(n)} behind it ${n === 1 ? 'was' : 'were'} Down with it`,
  showAll: (n: number) => `Show all ${count(n)}`,
  method: {
    title: 'How it is counted.',
    lines: countingRules,
    objective:
      'An objective allows a share of the observed time to be Down. In a span that still runs, the remaining time counts as observed.',
    created: (time: string, zone: string) =>
      `Created on ${time}, ${zone}. Late results may change it. The CSV has the same figures in seconds.`,
  },
  monthly: {
    title: 'Sent monthly',
    hint: 'On the first day of each month, the report of the previous month is sent by mail.',
    none: 'No report is sent monthly yet.',
    add: 'Send a report monthly',
    edit: 'Edit',
    editOf: (name: string) => `Edit the monthly report ${name}`,
    allDevices: 'all devices',
    devicesOf: (parts: readonly string[]) => `devices tagged ${parts.join(', ')}`,
    objectiveOf: (objective: number) => `objective ${objective}\u00a0%`,
    to: (names: readonly string[]) => `to ${names.join(', ')}`,
    next: (date: string) => `next on ${date}`,
    last: (month: string, answer: string | null) =>
      `${month} was sent${answer === null ? '' : `, last answer: ${answer}`}`,
    name: 'Name',
    nameHint: 'The subject of the mail starts with it.',
    contacts: 'Send to',
    noContacts: 'There is no contact for e-mail yet.',
    addContact: 'Add one',
    tags: 'Devices with these tags',
    tagsHint: 'Separated by commas; berlin/* means every tag that is below berlin now. Empty: all devices.',
    objectiveHint: 'The agreed uptime, for example 99.9. Empty: none.',
    save: 'Save',
    remove: 'Delete',
    removeAsk: (name: string) => `Delete the monthly report ${name}? No further mails are sent.`,
  },
  none: 'No device matches.',
  empty: 'There are no devices yet, so there is nothing to report.',
  wrongSpan:
    'The address names no valid span. A month is 2026-10, a quarter 2026-q4, other days 2026-10-01..2026-10-14.',
} as const;
