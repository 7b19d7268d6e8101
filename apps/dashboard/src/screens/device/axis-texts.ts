import { count } from '../../model/format.ts';
import type { BucketName, Preset } from '../../model/time-range.ts';

/** Texts of the time axis of a device. */
export const axisTexts = {
  range: 'Time range',
  spans: {
    '1h': '1 h',
    '6h': '6 h',
    '24h': '24 h',
    '7d': '7 d',
    '30d': '30 d',
    '90d': '90 d',
    '1y': '1 y',
  } as const satisfies Record<Preset, string>,
  own: 'Own…',
  ownTitle: 'Time range',
  ownFrom: 'From',
  ownTo: 'To',
  ownShow: 'Show',
  ownFault: 'The end must be 5 minutes to 400 days after the start.',
  earlier: 'Earlier',
  later: 'Later',
  now: 'now',
  copy: 'Copy link',
  copied: 'Copied',
  location: 'Location of the phases',
  from: (location: string) => `from ${location}`,
  compare: 'Compare Locations',
  lastWeek: 'Last week',
  marks: 'Marks',
  state: 'State',
  phases: 'Phases',
  phasesOf: { Raw: 'each check', other: 'median' } as const,
  loss: 'Loss',
  lossAll: 'Loss, all',
  lastWeekShort: 'last week',
  median: 'Median',
  p95: 'p95',
  at: (time: string) => `at ${time}`,
  ago: (age: string) => `${age} ago`,
  firstError: 'first error',
  moments: (n: number) => `${count(n)} marks`,
  buckets: {
    Raw: 'Each step is a check.',
    '5Min': 'Buckets of 5 min.',
    '15Min': 'Buckets of 15 min.',
    Hour: 'Buckets of 1 h.',
    '6Hour': 'Buckets of 6 h.',
    Day: 'Buckets of 1 d.',
  } as const satisfies Record<BucketName | 'Raw', string>,
  hint: (buckets: string, zone: string, isRaw: boolean) =>
    `${buckets} Times of ${zone}. ${
      isRaw
        ? ''
        : 'Phases are in proportion of their medians and add up to the median; the dashed line is the 95th percentile. '
    }Drag to zoom, double-click to go back; a click opens a check of that time.`,
  noPhases: 'No good check in this time range.',
  notRead: 'could not be read',
  figure: (span: string, state: string, median: string, loss: string) =>
    `State, phases and loss, ${span}. ${state}. ${median}. ${loss}.`,
  medianIs: (ms: string) => `Median response time ${ms}`,
  lossIs: (percent: string) => `Loss ${percent}`,
  table: 'As a table',
  tableHead: { time: 'From', median: 'Median', p95: 'p95', loss: 'Loss' } as const,
  strip: '30 days',
  stripLabel: 'Position of the time range within 30 days',
  stripDrag: 'drag to move',
  sums: 'In this time range',
  excluded: 'Excluded',
  outages: (n: number) => (n === 1 ? '1 outage' : `${count(n)} outages`),
  uptime: 'Uptime',
  uptimeOf: (length: string) => `of the ${length} observed outside maintenance`,
} as const;
