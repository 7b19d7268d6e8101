import { timestampField } from '@vantage/rest-kit/field';
import { z } from 'zod';

const label = z.string().describe('Its name, once in a check.').meta({ example: 'ge-0/0/1 in bit/s' });

/** A value of a check. */
export const measuredValue = z
  .strictObject({
    Label: label,
    Value: z.number().describe('The number.').meta({ example: 812_400 }),
    Unit: z.string().describe('Empty: a plain number.').meta({ example: 'bit/s' }),
  })
  .describe('A number that a check measured.')
  .meta({ id: 'MeasuredValue' });

const bucket = z
  .strictObject({
    Start: timestampField.describe('Begin of the bucket; Bucket=Raw: start of the check.'),
    Count: z.int().min(1).describe('Checks that measured it, good and bad ones, retries too.'),
    Min: z.number().describe('The smallest value.').meta({ example: 640_000 }),
    Mean: z.number().describe('Mean of the values.').meta({ example: 795_000 }),
    Max: z.number().describe('The largest value.').meta({ example: 1_020_000 }),
    P95: z.number().describe('95th percentile, within 2 percent.').meta({ example: 990_000 }),
  })
  .describe('The values of a label in a bucket of time.')
  .meta({ id: 'ValueBucket' });

/** The values of one label over a period. */
export const valueRow = z
  .strictObject({
    Label: label,
    Unit: z
      .string()
      .describe('Empty: plain numbers. A label whose unit changed has a row for each unit.')
      .meta({ example: 'bit/s' }),
    Last: z
      .strictObject({
        Timestamp: timestampField.describe('Start of its check.'),
        Value: z.number().describe('The number.').meta({ example: 812_400 }),
      })
      .nullable()
      .describe('The newest value of the last two days, whatever the period; null: there is none.')
      .meta({ example: { Timestamp: '2026-10-05T14:59:00+02:00', Value: 812_400 } }),
    Buckets: z
      .array(bucket)
      .describe(
        'In the order of time. A bucket in which nothing was measured is absent: it is a gap, not zero.',
      ),
  })
  .describe('The values of one label over a period.')
  .meta({ id: 'DeviceValues' });
