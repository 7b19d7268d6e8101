import { expiryDaysText, maxExpiryDay, maxExpiryDays, readExpiryDays } from '@vantage/domain';
import { z } from 'zod';

/** Numbers of days before the end of a certificate or domain, as clients send and read them. */
export const expiryDaysSchema = z
  .array(z.int().min(0).max(maxExpiryDay))
  .max(maxExpiryDays)
  .refine(
    (days) => days.every((day, at) => at === 0 || day < (days[at - 1] ?? 0)),
    'must fall: each number of days is smaller than the one before',
  );

/** `ExpiryWarningDays` of a device, without its texts. */
export const expiryDaysField = {
  column: 'expiry_warning_days',
  schema: expiryDaysSchema,
  example: [30, 14, 7],
  byDefault: null,
  store: expiryDaysText,
  show: (text: string) => [...readExpiryDays(text)],
} as const;
