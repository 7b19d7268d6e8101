import { z } from 'zod';
import { logLevels } from './log.ts';
import type { Accepted } from './settings-reader.ts';

export const acceptedPort = [
  z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((port) => port <= 65_535),
  'a port: 0 to 65535',
] as const satisfies Accepted<number>;

/** The values that controller and agent accept alike. */
export const commonSettings = {
  VANTAGE_METRICS_PORT: acceptedPort,
  VANTAGE_LOG_LEVEL: [z.enum(logLevels), logLevels.join(', ')],
  VANTAGE_TEST_TIME_SCALE: [
    z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform(Number)
      .refine((scale) => scale >= 1 && scale <= 1000),
    'a number from 1 to 1000',
  ],
} as const satisfies Record<string, Accepted<unknown>>;
