import type { Method } from '@vantage/domain';
import { z } from 'zod';

/** Methods whose devices can be asked what they offer. */
export const offeringMethods: readonly Method[] = ['SNMP'];

const bits = z.number().min(0).nullable();

const offeredInterface = z
  .strictObject({
    Index: z.int().min(0).describe('Its ifIndex.'),
    Name: z.string().describe('Its ifName, else its ifDescr; empty if it has neither.'),
    Alias: z.string().describe('The description that operators gave it: its ifAlias.'),
    Status: z.string().describe('Its operational status.'),
    AdminStatus: z.string().describe('The status that an administrator set.'),
    Speed: bits.describe('bit/s; null: the device does not report it.'),
    InBits: bits.describe('The traffic into the interface now, bit/s; null: not known.'),
    OutBits: bits.describe('The traffic out of the interface now, bit/s; null: not known.'),
  })
  .meta({ id: 'OfferedInterface' });

const offeredValue = z
  .strictObject({
    Name: z.string().describe('A known object, the `Name` of an entry of `Values`.'),
    Label: z.string().describe('Its name for people, each once: the `Label` of an entry of `Values`.'),
    Unit: z.string().describe('The unit of the value; empty: a plain number.'),
    Value: z.number().nullable().describe('Its value now; null: the device does not know it.'),
    Group: z.string().describe('The kind of object.'),
  })
  .meta({ id: 'OfferedValue' });

const system = z.strictObject({
  Name: z.string().describe('Its sysName.'),
  Description: z.string().describe('Its sysDescr.').meta({ example: 'Example Switch 48' }),
});

const { shape: ofInterface } = offeredInterface;
const { shape: ofValue } = offeredValue;

/** The facts of an agent that asked a device: entries as lists of their values, in blocks. */
const offerFacts = z.object({
  Offer: z.object({
    System: system,
    Interfaces: z.array(
      z.array(
        z.tuple([
          ofInterface.Index,
          ofInterface.Name,
          ofInterface.Alias,
          ofInterface.Status,
          ofInterface.AdminStatus,
          ofInterface.Speed,
          ofInterface.InBits,
          ofInterface.OutBits,
        ]),
      ),
    ),
    Values: z.array(
      z.array(z.tuple([ofValue.Name, ofValue.Label, ofValue.Unit, ofValue.Value, ofValue.Group])),
    ),
    IsComplete: z.boolean(),
  }),
});

/** The answer of `POST /checks/offer`. */
export const offer = z
  .strictObject({
    Location: z.string().describe('The Location whose agent asked.'),
    ResultCode: z.int().describe('1: the device answered; otherwise as that of a check.'),
    CheckResult: z.string().describe('One line for people.'),
    System: system.nullable().describe('The name and description of the device; null: it did not answer.'),
    Interfaces: z.array(offeredInterface).describe('Its interfaces, in the order of their indexes.'),
    Values: z.array(offeredValue).describe('Known objects that the device has.'),
    IsComplete: z
      .boolean()
      .describe('False: the device did not answer in time about everything, or has more than the limits.'),
  })
  .meta({ id: 'DeviceOffer' });

/** An agent's answer. */
interface OfferResult {
  readonly code: number;
  readonly text: string;
  /** JSON text of an object, or null. */
  readonly extended: string | null;
}

/** Shows the answer of an agent. Facts that cannot be read are those of an agent of an earlier version. */
export function showOffer({ code, text, extended }: OfferResult, location: string): z.input<typeof offer> {
  const found = offerFacts.safeParse(extended === null ? undefined : JSON.parse(extended)).data?.Offer;
  const isOld = code === 1 && found === undefined;
  return {
    Location: location,
    ResultCode: isOld ? 10 : code,
    CheckResult: isOld ? 'this agent cannot ask a device what it offers: upgrade it' : text,
    System: found?.System ?? null,
    Interfaces: (found?.Interfaces ?? [])
      .flat()
      .map(([Index, Name, Alias, Status, AdminStatus, Speed, InBits, OutBits]) => ({
        Index,
        Name,
        Alias,
        Status,
        AdminStatus,
        Speed,
        InBits,
        OutBits,
      })),
    Values: (found?.Values ?? [])
      .flat()
      .map(([Name, Label, Unit, Value, Group]) => ({ Name, Label, Unit, Value, Group })),
    IsComplete: found?.IsComplete ?? false,
  };
}
