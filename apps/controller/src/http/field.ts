import { z } from 'zod';

/** An id: 48 lowercase hex characters. */
export const idField = z
  .string()
  .regex(/^[0-9a-f]{48}$/)
  .meta({ id: 'Id', description: 'Opaque identifier.' });

/** A timestamp in an answer, in the account's time zone. */
export const timestampField = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
  .meta({ id: 'Timestamp', description: "ISO 8601, in the account's time zone." });
