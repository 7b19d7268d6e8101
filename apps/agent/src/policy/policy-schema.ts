import { isIP } from 'node:net';
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

const listen = boundedText(100).transform((text, context) => {
  const [, bracketed, plain, port] =
    /^(?:(?:\[([0-9a-fA-F:.%a-z0-9]+)\]|([\d.]*)):)?(\d{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? '';
  const number = Number(port);
  const isAddress = address === '' || isIP(address) > 0;
  if (port !== undefined && isAddress && number >= 1 && number <= 65_535) return { address, port: number };
  context.addIssue('must be a port, or an address and a port: 162, 192.0.2.1:162, [2001:db8::1]:162');
  return z.NEVER;
});

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
  Traps: z.strictObject({ Listen: listen }).optional(),
  Syslog: z
    .strictObject({
      Listen: listen,
      MaxSeverity: z.int().min(0).max(7).default(3),
      Contains: z.array(boundedText(200, 1)).max(50).default([]),
    })
    .optional(),
});

export type PolicyFile = z.output<typeof fileSchema>;
/** An address and a port to listen on; address '': all addresses. */
export type ListenAddress = z.output<typeof listen>;
