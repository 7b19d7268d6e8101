import type { Fact } from './facts.ts';

/** What the document says of the states of devices where their schemas do not; `id` is an id and `at` a time as examples show them. */
export function stateFacts(id: string, at: string): Readonly<Record<string, Fact>> {
  return {
    'DeviceState.Locations': {
      text: 'The Locations that check it.',
      example: [{ location_id: id, Name: 'local' }],
    },
    'DeviceState.LastCheck': { example: { Timestamp: at, RequestTime: 48.9, ResultCode: 1 } },
    'DeviceState.Master': { example: { device_id: id, ShortName: 'gw-1' } },
    'DeviceState.Day': { example: `${'U'.repeat(60)}DDD${'U'.repeat(9)}` },
  };
}
