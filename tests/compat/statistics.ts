import { z } from 'zod';
import type { Truth } from './truth.ts';

const row = z.looseObject({
  Location: z.string(),
  Count: z.int(),
  Retries: z.int().default(0),
  OnRequest: z.int().default(0),
});
const rows = z.array(row);

/**
 * A truth whose statistics can be compared with those of another version. The version before counted retries and checks
 * on request like regular checks. Where the present version (`now`) found some of them, both must agree in the total
 * only.
 */
export function withComparableStatistics<T extends Pick<Truth, 'devices'>>(
  truth: T,
  now: Pick<Truth, 'devices'>,
): T {
  return {
    ...truth,
    devices: truth.devices.map((device, at) => {
      const isRegular = rows
        .parse(now.devices[at]?.statistics)
        .every(({ Retries, OnRequest }) => Retries + OnRequest === 0);
      return isRegular ? device : { ...device, statistics: rows.parse(device.statistics).map(totalOf) };
    }),
  };
}

function totalOf({ Location, Count, Retries, OnRequest }: z.infer<typeof row>) {
  return { Location, Total: Count + Retries + OnRequest };
}
