import { count, percent } from '../model/format.ts';
import { devicesOf } from './counted.ts';

// Every text of reports.

const outagesOf = (n: number) => `${count(n)} ${n === 1 ? 'outage' : 'outages'}`;

export const reportTexts = {
  title: 'Reports',
  kinds: { month: 'Month', quarter: 'Quarter', days: 'Own span' },
  before: 'Span before',
  after: 'Span after',
  first: 'From',
  last: 'To, included',
  show: 'Show',
  wrongDays: 'The first day must not be after the last one; a report has at most 1,830 days.',
  which: 'Devices',
  whichHint: 'all, or tag:berlin/* method:ping "text"',
  chosen: (n: number) => `${devicesOf(n)} chosen`,
  all: 'All devices',
  objective: 'Objective, %',
  objectiveHint: '99.9',
  wrongObjective: 'An objective is a percentage with up to three decimals, as 99.9.',
  csv: 'CSV',
  csvName: (span: string) => `uptime-${span}.csv`,
  print: 'Print',
  link: 'Copy link',
  copied: 'Copied',
  names: {
    everything: (n: number) => (n === 1 ? 'The only device' : `All ${devicesOf(n)}`),
    some: (n: number) => devicesOf(n),
  },
  was: (name: string, isMany: boolean) => `${name} ${isMany ? 'were' : 'was'} up`,
  of: (span: string, isOpen: boolean) => `of ${span}${isOpen ? ' so far' : ''}`,
  nothing: (span: string) => `Nothing was observed in ${span}`,
  future: (span: string) => `${span} has not begun`,
  span: (first: string, last: string, zone: string) => `${first} to ${last}, ${zone}`,
  hours: (hours: number) => `${count(hours)}\u00a0h`,
  until: (time: string) => `until now, ${time}`,
  clocks: (changes: string) => `the clocks were changed: ${changes}`,
  changedDay: (day: string, hours: number) => `${day} had ${hours}\u00a0h`,
  ofDevices: (n: number) => devicesOf(n),
  sums: {
    uptime: 'Uptime',
    outages: 'Outages',
    down: 'Down together',
    longest: 'Longest outage',
    maintenance: 'In maintenance',
    unknown: 'Unknown',
    excluded: 'Excluded',
  },
  previous: (span: string, value: number | null, outages: number) =>
    value === null
      ? `${span}: nothing was observed.`
      : `${span}: ${percent(value)}, ${outages === 0 ? 'no outage' : outagesOf(outages)}.`,
  kept: (objective: string, kept: number, of: number) =>
    `The objective of ${objective}\u00a0% ${kept === of ? 'is kept' : 'is not kept by all: it is kept'} by ${count(kept)} of ${devicesOf(of)}.`,
  budget: (isKept: boolean, time: string, isOpen: boolean) =>
    isKept
      ? `Together they may ${isOpen ? 'still be' : 'have been'} Down for ${time} ${isOpen ? '' : 'more'}.`.replace(
          ' .',
          '.',
        )
      : `Together they were Down ${time} longer than that allows.`,
  budgetOfOne: (objective: string, isKept: boolean, time: string, isOpen: boolean) =>
    isKept
      ? `The objective of ${objective}\u00a0% is kept: ${time} ${isOpen ? 'are' : 'were'} left.`
      : `The objective of ${objective}\u00a0% is not kept: it was Down ${time} longer.`,
  groups: 'By group, worst first',
  groupHint: 'A device with several tags counts in each of them.',
  devices: 'By device, worst first',
  untagged: 'without a tag',
  columns: {
    tag: 'Tag',
    device: 'Device',
    uptime: 'Uptime',
    outages: 'Outages',
    down: 'Down',
    maintenance: 'Maint',
    unknown: 'Unknown',
    excluded: 'Excluded',
    left: 'Left',
    bar: 'Status over the span',
  },
  over: (time: string) => `${time} over`,
  outages: 'Outages, the longest first',
  unseen: (n: number) =>
    `${count(n)} of them ${n === 1 ? 'has' : 'have'} no second Down within the span, because nothing was observed then or there was maintenance, and ${n === 1 ? 'is' : 'are'} not counted above.`,
  noOutages: 'No outage counts in this span.',
  isCut: (n: number) =>
    `The list has the newest ${count(n)} outages of the account; the figures above count all.`,
  excludedOutages: 'Excluded outages',
  excludedSay: 'People decided that these do not count. Their time is neither Up nor Down.',
  outageColumns: { began: 'Began', lasted: 'Lasted', device: 'Device', cause: 'Cause as observed, and note' },
  isOpen: 'still open',
  noCause: 'its cause is not known any more',
  noNote: 'no note',
  note: (text: string) => `“${text}”`,
  behind: (n: number) => `${devicesOf(n)} behind it ${n === 1 ? 'was' : 'were'} Down with it`,
  edit: 'Note',
  editOf: (name: string) => `Note on the outage of ${name}`,
  noteField: 'Note, one line',
  excludeField: 'Exclude it: it counts neither as Up nor as Down',
  save: 'Save',
  cancel: 'Cancel',
  showAll: (n: number) => `Show all ${count(n)}`,
  method: {
    title: 'How it is counted.',
    lines: [
      'Uptime is Up / (Up + Down), in seconds, of all devices together. It is cut after three decimals and never rounded up to 100 %. Maintenance, Unknown and excluded outages are in neither and are listed apart.',
      'An outage begins with the first error of a failure that retries confirmed, and ends with the check that finds the device Up. One that reaches beyond the span counts, with its seconds within the span; the list shows its whole length.',
      'Unknown means not observed: the Location was offline, an anchor was silent, the device was paused, or it did not exist yet. Only devices that exist now are counted.',
    ],
    objective:
      'An objective allows a share of the observed time to be Down. Of a span that still runs, the rest counts as observed.',
    made: (time: string, zone: string) =>
      `Made on ${time}, ${zone}. Results that agents bring later may change it. The CSV has the same figures in seconds.`,
  },
  none: 'No device fits.',
  empty: 'There is no device yet, so there is nothing to report.',
  add: 'Add a device',
  wrongSpan:
    'The address names no span. A month is 2026-10, a quarter 2026-q4, an own span 2026-10-01..2026-10-14.',
} as const;
