import { isIP } from 'node:net';
import { cleanLine } from '@vantage/domain';
import { idField, timestampField } from '@vantage/rest-kit/field';
import { conflict } from '@vantage/rest-kit/problem';
import { z } from 'zod';
import type { ExtendedFacts } from './check-store.ts';

const maxHops = 64;

const sampleId = '27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802';

const hopRecord = z.strictObject({
  TTL: z.int().describe('Distance in routers, from 1.'),
  Address: z.string().nullable().describe('The address that answered; null: none did.'),
  RTTMs: z.number().nullable().describe('Round trip, milliseconds.'),
  Text: z
    .string()
    .nullable()
    .describe('What the target or a router reported; null for a router that passed packets on.'),
});

const sampleHops = [
  { TTL: 1, Address: '192.0.2.1', RTTMs: 0.4, Text: null },
  { TTL: 2, Address: '198.51.100.7', RTTMs: 3.1, Text: 'connected' },
];

const tracedWay = {
  check_id: idField
    .describe('The check that was made before it. GET /checks/{check_id}/extended keeps both.')
    .meta({ example: '0000002a0006a2b1c3d4e5f60000000700000000000000ff' }),
  Location: z.string().meta({ example: 'local' }),
  Agent: z.string().nullable().describe('The agent that traced.').meta({ example: 'agent-1' }),
  Timestamp: timestampField.describe('Start of the check.'),
  CheckResult: z.string().describe('What the check says.').meta({ example: 'connected' }),
  Reached: z.boolean().describe('The last hop is the device itself.').meta({ example: true }),
  Hops: z
    .array(hopRecord)
    .meta({ description: 'The routers on the way, nearest to the agent first.', example: sampleHops }),
};

export const tracerouteRow = z
  .strictObject(tracedWay)
  .meta({ id: 'KeptTraceroute', description: 'A path from an agent to a device that was traced.' });

export const tracerouteRecord = z
  .strictObject({
    ...tracedWay,
    device_id: idField.meta({ example: sampleId }),
    SuggestedMaster: idField
      .nullable()
      .describe(
        'What all traceroutes of the device suggest, as GET /devices/{device_id}/suggested-master; null: none.',
      )
      .meta({ example: sampleId }),
  })
  .meta({ id: 'Traceroute', description: 'The path from an agent to a device.' });

/** The part of a check's extended data that its agent wrote. */
const storedWay = z.object({
  Reached: z.boolean(),
  Hops: z.array(
    z.object({
      TTL: z.int(),
      Address: z.string().nullable(),
      RTTMs: z.number().nullable(),
      Text: z.string().optional(),
    }),
  ),
});

export const storedTraceroute = z.union([z.object({ NotPossible: z.string() }), storedWay]);

type StoredWay = z.output<typeof storedWay>;

type ShownWay = Pick<z.input<typeof tracerouteRecord>, 'Reached' | 'Hops'>;

export function tracerouteIn({ extended }: ExtendedFacts): unknown {
  return typeof extended === 'object' && extended !== null && 'Traceroute' in extended
    ? extended.Traceroute
    : undefined;
}

/** The traceroute of a check. Throws a Problem (1005) with the reason why there is none. */
export function readTraceroute(row: ExtendedFacts): ShownWay {
  const who = `agent ${cleanLine(row.agent ?? 'without a name')} of Location ${cleanLine(row.location ?? '')}`;
  const stored = tracerouteIn(row);
  if (stored === undefined)
    throw conflict('no_answer', `${who} checked the device, but its traceroute did not come in time`);
  const parsed = storedTraceroute.safeParse(stored);
  if (!parsed.success) throw conflict('no_answer', `${who} sent a traceroute that is not readable`);
  if ('NotPossible' in parsed.data)
    throw conflict('no_answer', `${who} did not trace the path: ${cleanLine(parsed.data.NotPossible)}`);
  return showWay(parsed.data);
}

/** A stored traceroute as the API shows it: bounded, with texts that are clean. Pure. */
export function showWay({ Reached, Hops }: StoredWay): ShownWay {
  return {
    Reached,
    Hops: Hops.slice(0, maxHops).map(({ TTL, Address, RTTMs, Text }) => ({
      TTL,
      Address: Address === null || isIP(Address) === 0 ? null : Address,
      RTTMs,
      Text: Text === undefined ? null : cleanLine(Text),
    })),
  };
}
