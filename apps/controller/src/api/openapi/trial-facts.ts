import type { SchemaFact } from './openapi-schema.ts';

/** Facts of trials, and of what a device offers to watch. */
export const trialFacts: Readonly<Record<string, SchemaFact>> = {
  'CheckTrial.Location': { example: 'local' },
  'TrialRecord.check_id': { example: null },
  'TrialRecord.Extended': { example: { Address: '192.0.2.80', Status: 200 } },
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
