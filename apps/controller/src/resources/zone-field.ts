import { boundedText, isZoneName, zoneName } from '@vantage/kernel';
import { createShape, type Fields } from './field-table.ts';

/** The IANA name of a time zone, in a request. It is stored in its own letter case. */
export const zoneNameField = boundedText(100)
  .refine(isZoneName, 'must be the IANA name of a time zone, for example Europe/Berlin')
  .overwrite((name) => zoneName(name) ?? name);

/** The zone of a schedule. Without one, or with null, the writer takes the zone of the account. */
export const zoneTable = {
  Timezone: {
    column: 'timezone',
    schema: zoneNameField,
    text: 'IANA name of the time zone.',
    sentText: "IANA name of the time zone; null: the account's.",
    example: 'Europe/Berlin',
    isExampleSaid: true,
    byDefault: '',
  },
} as const satisfies Fields;

/** The zone of a schedule that need not be stored, in a request. */
export const { Timezone: zoneField } = createShape(zoneTable);
