import { isIP } from 'node:net';
import { maxAnchors, type StoredAnchor } from '@vantage/domain';
import { boundedText, type FieldFault, isNetwork, isPrivateHost, normalAddress } from '@vantage/kernel';
import { lineField } from '@vantage/rest-kit/field';
import { z } from 'zod';

const targetRule =
  'must be an IP address and not a host name, with a port for a TCP connection and without one for PING, for example 192.0.2.1 or 192.0.2.53:53';
const networkRule =
  'must be a network in CIDR form or an IP address, for example 198.51.100.0/24 or 2001:db8::/32';

const anchor = z.strictObject({
  Name: lineField(100, 1).describe('Name for people; unique at the Location.').meta({ example: 'gateway' }),
  Target: boundedText(100, 1)
    .refine((text) => readTarget(text) !== undefined, targetRule)
    .describe('An IP address (PING), or an IP address and a port (TCP connection).')
    .meta({ example: '192.0.2.1' }),
  Networks: z
    .array(boundedText(100, 1).refine(isNetwork, networkRule))
    .max(100)
    .nullable()
    .optional()
    .describe(
      "Networks that lie behind it, in CIDR form; absent, null or []: everything outside of the agents' own subnets. The longest prefix decides between anchors.",
    )
    .meta({ example: ['198.51.100.0/24'] }),
});

/** `Anchors` of a Location in a request. */
export const anchorsField = z
  .array(anchor)
  .max(maxAnchors)
  .superRefine((all, context) => {
    for (const [field, values] of [
      ['Name', all.map(({ Name }) => Name)],
      ['Target', all.map(({ Target }) => readTarget(Target)?.target ?? Target)],
    ] as const)
      for (const [index, value] of values.entries())
        if (values.indexOf(value) < index)
          context.addIssue({
            code: 'custom',
            path: [index, field],
            input: all[index]?.[field],
            message: `must differ from the ${field} of the other anchors`,
          });
  })
  .nullable()
  .optional()
  .describe('Hosts on the way to the devices, near to far; null or []: none.');

/** Anchors as they are sent. */
export type SentAnchors = NonNullable<z.output<typeof anchorsField>>;

/** Anchors as they are stored, in the one spelling of their addresses. Pure. */
export function toStored(sent: SentAnchors): StoredAnchor[] {
  return sent.map(({ Name, Target, Networks }) => ({
    Name,
    Target: readTarget(Target)?.target ?? Target,
    Networks: Networks ?? [],
  }));
}

/** Whether two lists of anchors are equal. Pure. */
export function areEqual(a: readonly StoredAnchor[], b: readonly StoredAnchor[]): boolean {
  const text = (all: readonly StoredAnchor[]) =>
    JSON.stringify(all.map(({ Name, Target, Networks }) => [Name, Target, Networks]));
  return text(a) === text(b);
}

/** The faults of anchors with private addresses at a Location with PublicTargetsOnly. Pure. */
export function privateAnchorFaults(anchors: readonly StoredAnchor[]): FieldFault[] {
  return anchors.flatMap(({ Target }, index) =>
    isPrivateHost(readTarget(Target)?.address ?? '')
      ? [
          {
            field: `Anchors.${index}.Target`,
            message: `must not be a private address while PublicTargetsOnly is true, but ${JSON.stringify(Target)} is one`,
          },
        ]
      : [],
  );
}

/** The address of a Target, and the Target in its one spelling; undefined for a text that is none. */
function readTarget(text: string): { readonly address: string; readonly target: string } | undefined {
  const [, six, four, digits] = /^(?:\[([^\]%]*)\]|([\d.]*)):(\d{1,5})$/.exec(text) ?? [];
  const hostPart = six ?? four ?? text;
  const port = Number(digits ?? 1);
  if (isIP(hostPart) === 0 || hostPart.includes('%') || port < 1 || port > 65_535) return undefined;
  const address = normalAddress(hostPart);
  if (digits === undefined) return { address, target: address };
  return { address, target: `${isIP(address) === 6 ? `[${address}]` : address}:${port}` };
}
