import { count } from '../../model/format.ts';
import type { ValueBucketName } from '../../model/value-charts.ts';

/** Texts of the measured values of a device. */
export const valuesTexts = {
  title: 'Values',
  mean: 'mean',
  p95: 'p95',
  range: 'min to max',
  last: 'last',
  ago: (age: string) => `${age} ago`,
  none: 'No value in this time range.',
  labels: (n: number) => `${count(n)} labels`,
  shown: (shown: number, all: number) => `${count(shown)} of ${count(all)} shown`,
  all: (n: number) => (n === 1 ? 'The value as a table' : `All ${count(n)} values as a table`),
  choose: (n: number) => `Choose from ${count(n)} values`,
  filter: 'Label contains',
  chart: (label: string) => `Chart of ${label}`,
  most: (n: number) => `At most ${count(n)} charts are shown at a time.`,
  head: {
    chart: 'Chart',
    label: 'Label',
    last: 'Last',
    age: 'Age',
    min: 'Min',
    mean: 'Mean',
    p95: 'p95',
    max: 'Max',
  },
  buckets: {
    Raw: 'Each step is a check.',
    '5Min': 'Steps of 5 min.',
    '30Min': 'Steps of 30 min.',
    Hour: 'Steps of 1 h.',
    '6Hour': 'Steps of 6 h.',
    Day: 'Steps of 1 d.',
  } as const satisfies Record<ValueBucketName, string>,
  hint: (steps: string) =>
    `${steps} The line is the mean, the band reaches from min to max, the dashed line is the 95th percentile. A gap has no value.`,
  figure: (span: string, readings: string) => `Values, ${span}. ${readings}`,
  reading: (label: string, last: string) => `${label}: ${last}.`,
} as const;
