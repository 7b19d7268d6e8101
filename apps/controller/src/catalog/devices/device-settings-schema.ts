import { z } from 'zod';
import { deviceFull } from './device-full.ts';
import { unset } from './sent-device.ts';

/** The settings of a device, as PUT takes them. */
export const deviceSettings = deviceFull
  .omit({ ...unset, HostData: true })
  .extend({
    Locations: z
      .array(z.string())
      .nullable()
      .describe("Names of the Locations that check it; null: the account's DefaultLocations."),
  })
  .meta({
    id: 'DeviceSettings',
    description: 'Settings of a device, as PUT /devices/{device_id} takes them.',
  });
