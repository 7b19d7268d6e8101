import { hourUs } from '@vantage/domain';
import { type ValueSums, valuePercentile } from '@vantage/domain/value-sums';
import { boundedText, type Clock } from '@vantage/kernel';
import { commaList } from '@vantage/rest-kit/members';
import { readLocationNos } from '@vantage/rest-kit/named';
import { timestampQuery } from '@vantage/rest-kit/paging';
import { invalid } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { route } from '@vantage/rest-kit/route-factories';
import type { Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import type { DeviceSubject } from '../history/check-routes.ts';
import { historyQuery } from '../history/list-filters.ts';
import { readPeriod } from '../history/period.ts';
import { pointsQuery } from '../history/points-query.ts';
import { readValues, type ValueRollUps } from './read-values.ts';
import {
  bucketBegins,
  bucketCount,
  chosenValueBuckets,
  isOfHours,
  readBucketing,
  valueBuckets,
} from './value-buckets.ts';
import { valueRow } from './value-fields.ts';
import { readNewest, readSeries, type Series } from './value-store.ts';

/** The buckets of one answer. */
const maxBuckets = 50_000;
/** A check may start this long before its device was created, by the clock of its agent. */
const clocksDifferUs = hourUs;

const valuesQuery = z.object({
  Label: boundedText(25_000, 1)
    .optional()
    .meta({
      description:
        'A label, or several: their rows only, in this order. A comma within one of several labels is written as \\,.',
      param: commaList,
      override: { type: 'array', items: { type: 'string' } },
      example: ['ge-0/0/1 in bit/s'],
    }),
  Timestamp1: timestampQuery('Begin; default: since creation.'),
  Timestamp2: timestampQuery('End; default, and at most: now.'),
  Bucket: z
    .enum(valueBuckets)
    .optional()
    .describe(
      "Hour is the default. Raw: each check is a bucket. Quarters of a day and days are those of the account's time zone. Days older than the stored checks are those of UTC, and have no narrower buckets.",
    ),
  Points: pointsQuery(
    `Instead of Bucket: at most this many buckets for each label. The narrowest of ${chosenValueBuckets.join(', ')} is chosen with which the period has no more, or else several days.`,
  ),
  Location: historyQuery.Location,
});

interface ValueDeps {
  readonly clock: Clock;
  readonly device: DeviceSubject;
  readonly rollUps: ValueRollUps;
}

/** The values that the checks of a device measured, from roll-ups, and from checks where no roll-up exists. */
export function valueRoutes({ clock, device, rollUps }: ValueDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/devices/{device_id}/values',
      readsHistory: true,
      level: 'UR',
      tag: 'Statistics',
      summary: 'The values that the checks of a device measured, by label.',
      description:
        'Without Label: the rows of all labels that have a value in the period or the last two days. 1004: the answer would have more than 50,000 buckets; send Label, a shorter period or a wider Bucket.',
      subject: device,
      query: valuesQuery,
      response: z.array(valueRow),
      names: { root: 'values', row: 'series' },
      handler: async ({ db, session: { zone, accountNo }, subject, query }) => {
        const { device_no: deviceNo, created_us: createdUs } = subject;
        const nowUs = clock.nowUs();
        const requested = readPeriod(query, { zone, createdUs, nowUs });
        const bucketing = readBucketing(query, requested);
        const fromUs = Math.min(requested.toUs, Math.max(requested.fromUs, createdUs - clocksDifferUs));
        const period = { fromUs, toUs: requested.toUs };
        const locationNos =
          query.Location === undefined ? undefined : await readLocationNos(db, accountNo, query.Location);
        const series = chosen(await readSeries(db, deviceNo), query.Label);
        if (series.length === 0) return { body: [] };
        refuseTooMany(series.length * (bucketCount(bucketing, period) ?? 0));
        const ask = {
          deviceNo,
          series,
          locationNos,
          period,
          ofHours: isOfHours(bucketing),
          ofDays: bucketing.bucket === 'Day',
          isOne: bucketing.days === Number.POSITIVE_INFINITY,
          beginOf: bucketBegins(bucketing, period, zone),
        };
        const sums = await readValues(db, { rollUps, nowUs }, ask);
        refuseTooMany([...sums.values()].reduce((all, { size }) => all + size, 0));
        const newest = await readNewest(
          db,
          { deviceNo, locationNos, seriesNos: series.map(({ seriesNo }) => seriesNo) },
          nowUs,
        );
        const rows = series.map(({ seriesNo, label, unit }) => {
          const last = newest.get(seriesNo);
          return {
            Label: label,
            Unit: unit,
            Last: last === undefined ? null : { Timestamp: zone.format(last.atUs), Value: last.value },
            Buckets: [...(sums.get(seriesNo) ?? [])]
              .sort(([a], [b]) => a - b)
              .map(([beginUs, one]) => shown(beginUs, one, zone)),
          };
        });
        return {
          body:
            query.Label === undefined
              ? rows.filter(({ Last, Buckets }) => Last !== null || Buckets.length > 0)
              : rows,
        };
      },
    }),
  ];
}

/** Throws a Problem (1004). */
function refuseTooMany(buckets: number): void {
  if (buckets <= maxBuckets) return;
  const message = `would make more than ${maxBuckets} buckets; send Label, a shorter period or a wider Bucket`;
  throw invalid([{ field: 'Bucket', message }]);
}

/** The series that `Label` names, in its order; all without it. A text that is a label itself is no list. */
function chosen(all: readonly Series[], text: string | undefined): readonly Series[] {
  if (text === undefined) return all;
  const whole = all.filter(({ label }) => label === text);
  if (whole.length > 0) return whole;
  const labels = text.split(/(?<!\\),/).map((one) => one.replaceAll('\\,', ','));
  return [...new Set(labels)].flatMap((one) => all.filter(({ label }) => label === one));
}

function shown(beginUs: number, sums: ValueSums, zone: Zone) {
  const { count, sum, min, max } = sums;
  return {
    Start: zone.format(beginUs),
    Count: count,
    Min: min,
    Mean: Math.min(max, Math.max(min, sum / count)),
    Max: max,
    P95: valuePercentile(sums, 0.95) ?? max,
  };
}
