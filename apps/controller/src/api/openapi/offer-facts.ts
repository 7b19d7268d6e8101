import type { SchemaFact } from './openapi-schema.ts';

/** Facts of what a device offers to watch. */
export const offerFacts: Readonly<Record<string, SchemaFact>> = {
  'DeviceOffer.CheckResult': { example: 'switch-1 offers 48 interfaces, 12 values' },
  'DeviceOffer.System': { example: { Name: 'switch-1', Description: 'Example Switch 48' } },
  'DeviceOffer.IsComplete': { example: true },
  'OfferedInterface.Index': { example: 10101 },
  'OfferedInterface.Name': { example: 'Gi1/0/1' },
  'OfferedInterface.Alias': { example: 'uplink hall 2' },
  'OfferedInterface.Status': { example: 'Up' },
  'OfferedInterface.AdminStatus': { example: 'Up' },
  'OfferedInterface.Speed': { example: 1_000_000_000 },
  'OfferedInterface.InBits': { example: 41_000_000 },
  'OfferedInterface.OutBits': { example: 3_100_000 },
  'OfferedValue.Name': { example: 'hrProcessorLoad.1' },
  'OfferedValue.Label': { example: 'CPU 1' },
  'OfferedValue.Unit': { example: '%' },
  'OfferedValue.Value': { example: 14 },
  'OfferedValue.Group': { example: 'Processors' },
};
