import { idField, lineField, shownTimes, timeNames } from '@vantage/rest-kit/field';
import { z } from 'zod';
import { shownIdentity } from '../../resources/external-key.ts';
import { deviceEntry } from '../devices/shown-device.ts';

export const name = lineField(200, 1).describe(
  'Name of the tag, unique in the account without regard to letter case.',
);

export const tagEntry = z
  .strictObject({ tag_id: idField, Name: z.string(), ...shownIdentity, ...shownTimes })
  .meta({ id: 'TagEntry' });

/** A tag with its devices. */
export const tagFull = z
  .strictObject({
    ...tagEntry.omit({ CreatedAt: true, UpdatedAt: true }).shape,
    Devices: z.array(deviceEntry).describe('All devices of the tag.'),
    ...shownTimes,
  })
  .meta({ id: 'Tag' });

export const readOnly = ['tag_id', 'Devices', ...timeNames] as const;
