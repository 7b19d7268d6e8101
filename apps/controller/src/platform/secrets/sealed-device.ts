import type { JsonValue } from '@bufbuild/protobuf';
import type { SealedDevice } from '@vantage/domain';
import { z } from 'zod';

const json: z.ZodType<JsonValue> = z.json();

/** Reads the opened value of a device's `sealed` column. */
export const sealedDevice = z.object({
  url: z.string(),
  options: z.record(z.string(), json),
}) satisfies z.ZodType<SealedDevice>;
