import { boundedText, withoutControls } from '@vantage/kernel';
import { z } from 'zod';
import { ipFamilyOption, slowMsOption } from '../../contract/options.ts';
import { knownObject, objectNames } from './known-objects.ts';

const line = (max: number) => boundedText(max, 1).regex(withoutControls, 'must hold no control character');

/** An OID of at least two numbers, at most 128 of them. */
const oidText = boundedText(400)
  .regex(
    /^\.?[0-2](?:\.\d{1,10}){1,127}$/,
    'must be numbers with dots between them, such as 1.3.6.1.2.1.1.3.0',
  )
  .refine(
    (oid) => oid.split('.').every((part) => Number(part) <= 0xffff_ffff),
    'must hold no number above 4294967295',
  );

const count = (items: readonly unknown[]) => items.filter((item) => item !== undefined).length;

const watchedInterface = z
  .strictObject({
    Name: line(255)
      .optional()
      .describe('The name of the interface: its ifName, else its ifDescr, such as GigabitEthernet1/0/1.'),
    Alias: line(255).optional().describe('The description that operators gave the interface: its ifAlias.'),
    Index: z
      .int()
      .min(1)
      .max(2_147_483_647)
      .optional()
      .describe('Its ifIndex. A restart may change it; Name and Alias stay.'),
    ExpectStatus: z
      .enum(['Up', 'Down', 'Any'])
      .default('Up')
      .describe('The operational status that the interface must have.'),
    MaxUtilisation: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .describe('The maximum utilisation, per cent of the speed, of the busier direction.'),
    MaxErrorsPerSecond: z
      .number()
      .min(0)
      .max(1e9)
      .optional()
      .describe('The maximum rate of errors, both directions together.'),
    DeviceDown: z
      .boolean()
      .default(false)
      .describe(
        'The check fails where this interface misses its expectations. Else the check stays good and reports it.',
      ),
  })
  .refine(
    ({ Name, Alias, Index }) => count([Name, Alias, Index]) === 1,
    'must hold exactly one of Name, Alias and Index',
  );

const watchedValue = z
  .strictObject({
    OID: oidText.optional().describe('The object with its instance, such as 1.3.6.1.2.1.1.3.0.'),
    Name: boundedText(300)
      .refine(
        (name) => knownObject(name) !== undefined,
        `must be a known object with the index of its row where it has rows, such as upsEstimatedChargeRemaining or hrProcessorLoad.1`,
      )
      .optional()
      .describe(`A known object, with the index of its row where it has rows: ${objectNames().join(', ')}.`),
    Label: line(100).optional().describe('The name of the value; default: the object.'),
    Unit: boundedText(30)
      .optional()
      .describe('The unit of the value; default: that of the known object, and /s for a counter.'),
    Kind: z
      .enum(['Gauge', 'Counter', 'Text'])
      .optional()
      .describe(
        'Counter: the rate per second is the value. Text: only compared. Default: by the type of the object.',
      ),
    Expect: boundedText(1000).optional().describe('The text that the object must have.'),
    Min: z.number().optional().describe('A smaller value is a failed expectation.'),
    Max: z.number().optional().describe('A greater value is a failed expectation.'),
  })
  .refine(({ OID, Name }) => count([OID, Name]) === 1, 'must hold exactly one of OID and Name')
  .refine(
    ({ Min, Max }) => Min === undefined || Max === undefined || Min <= Max,
    'must not hold a Min above Max',
  );

const authProtocols = ['MD5', 'SHA', 'SHA224', 'SHA256', 'SHA384', 'SHA512'] as const;
const privProtocols = ['DES', 'AES', 'AES256', 'AES256C'] as const;

/** The Options of SNMP. */
export const snmpOptions = z
  .strictObject({
    Version: z
      .enum(['v1', 'v2c', 'v3'])
      .default('v2c')
      .describe('The version of the protocol. Only v3 encrypts.'),
    Community: line(255).default('public').describe('The community of v1 and v2c. It travels as plain text.'),
    User: line(32).optional().describe('The user of v3.'),
    AuthProtocol: z
      .enum(authProtocols)
      .default('SHA')
      .describe('How v3 authenticates. MD5 is broken: use it only where a device has nothing else.'),
    AuthKey: boundedText(255, 8)
      .optional()
      .describe('The password of authentication; without it v3 does not authenticate.'),
    PrivProtocol: z
      .enum(privProtocols)
      .default('AES')
      .describe(
        'How v3 encrypts: AES has 128 bits, AES256C is the form of Cisco. DES is broken: use it only where a device has nothing else.',
      ),
    PrivKey: boundedText(255, 8)
      .optional()
      .describe('The password of encryption; without it v3 does not encrypt.'),
    Context: boundedText(255).optional().describe('The context of v3; default: the one without a name.'),
    Interfaces: z
      .array(watchedInterface)
      .max(64)
      .default([])
      .describe('The interfaces to watch, each with its rates as values.'),
    Values: z.array(watchedValue).max(50).default([]).describe('Further objects to read.'),
    SlowMs: slowMsOption,
    IPFamily: ipFamilyOption,
  })
  .refine(({ Version, User }) => Version !== 'v3' || User !== undefined, {
    path: ['User'],
    message: 'must be set for Version v3',
  })
  .refine(({ AuthKey, PrivKey }) => PrivKey === undefined || AuthKey !== undefined, {
    path: ['AuthKey'],
    message: 'must be set with PrivKey: SNMP encrypts only what it authenticates',
  });

export type SnmpOptions = z.output<typeof snmpOptions>;
export type WatchedInterface = SnmpOptions['Interfaces'][number];
export type WatchedValue = SnmpOptions['Values'][number];
