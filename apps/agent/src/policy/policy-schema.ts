import { methods } from '@vantage/domain';
import { boundedText, isNetwork } from '@vantage/kernel';
import { z } from 'zod';

const network = boundedText(100).refine(
  isNetwork,
  'must be an address or a network: 192.0.2.1, 10.0.0.0/8, 2001:db8::/32',
);

const ports = z
  .union([z.int().min(1).max(65_535), boundedText(100).regex(/^\d{1,5}-\d{1,5}$/)])
  .transform((value) => (typeof value === 'number' ? [value, value] : value.split('-').map(Number)))
  .refine(
    ([from = 0, to = 0]) => from >= 1 && from <= to && to <= 65_535,
    'must be a port or a range: 443, 8000-8999',
  );

/** The policy file. An absent key limits nothing; Deny takes precedence over Allow. */
export const fileSchema = z.strictObject({
  Networks: z
    .strictObject({ Allow: z.array(network).optional(), Deny: z.array(network).optional() })
    .optional(),
  Ports: z.strictObject({ Allow: z.array(ports).optional(), Deny: z.array(ports).optional() }).optional(),
  Methods: z.array(z.enum(methods)).optional(),
  Scripts: z.boolean().optional(),
  ChecksPerMinute: z.int().min(1).optional(),
  CloudMetadata: z.boolean().optional(),
});

export type PolicyFile = z.output<typeof fileSchema>;
